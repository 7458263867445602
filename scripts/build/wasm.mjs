import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { toolEnvironment } from '../lib/environment.mjs';
import { hashOf } from '../lib/hash.mjs';
import { cacheDir, root } from '../lib/paths.mjs';
import { Step } from '../lib/progress.mjs';
import { runLines } from '../lib/run.mjs';
import { runMain, Stop } from '../lib/stop.mjs';
import { wasmBindgenVersion, wasmPackVersion } from '../lib/versions.mjs';
import { orderFunctions } from './function-order.mjs';
import { splitInTwo } from './split.mjs';
import { wasmInputs } from './wasm-inputs.mjs';

/**
 * The engine is compiled with a standard library of its own, made small as the engine is, and a panic
 * traps at once, without a text: a twentieth of the download. The worker reports the trap and answers
 * nothing more. A stable compiler takes these options where it is told that it is compiling itself.
 * Only the size depends on them: a suite checks the engine without.
 */
const SMALL = {
  env: { RUSTC_BOOTSTRAP: '1' },
  args: [
    '-Zbuild-std=std,panic_abort',
    '-Zbuild-std-features=optimize_for_size',
    '--config',
    `target.wasm32-unknown-unknown.rustflags=${JSON.stringify([
      '-Zunstable-options',
      '-Cpanic=immediate-abort',
      '-Zlocation-detail=none',
      '-Zfmt-debug=shallow',
    ])}`,
  ],
};

/** The wasm modules of the package, each with its cargo profile. */
const modules = [
  {
    crate: 'varve-wasm',
    profile: 'wasm',
    name: 'varve',
    title: 'Engine as wasm',
    cargo: SMALL,
    isSplit: true,
  },
  {
    crate: 'varve-wasm-dialect',
    profile: 'wasm',
    name: 'varve_dialect',
    title: 'Dialects as wasm',
    cargo: SMALL,
  },
  {
    crate: 'varve-wasm-zstd',
    profile: 'wasm',
    name: 'varve_zstd',
    title: 'Encoder of zstd as wasm',
    cargo: SMALL,
  },
];
const KEPT_BUILDS = 8;

const outDir = join(root, 'js', 'pkg');

/** Deletes all but the most recently used builds. */
function prune(buildsDir) {
  const byAge = readdirSync(buildsDir)
    .map((name) => ({ path: join(buildsDir, name), used: statSync(join(buildsDir, name)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { path } of byAge.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
}

async function wasmPack({ crate, profile, name, cargo, isSplit }, into, step, env) {
  const args = [
    'build',
    join('crates', crate),
    '--profile',
    profile,
    '--target',
    'web',
    '--mode',
    'no-install',
  ];
  const out = ['--no-pack', '--out-dir', into, '--out-name', name];
  const own = cargo ? ['--', ...cargo.args] : [];
  const built = await runLines('wasm-pack', [...args, ...out, ...own], {
    env: { ...env, ...cargo?.env },
    onLine: (line) => step.news(line),
  });
  const finish = () =>
    isSplit ? splitInTwo(into, name, env) : orderFunctions(join(into, `${name}_bg.wasm`), env);
  const { code, tail } = built.code === 0 ? await finish() : built;
  if (code === 0) return;
  step.fail();
  console.error(tail.join('\n'));
  throw new Stop('The wasm build failed, see above.');
}

/** The file that says what a build of a module was made of. */
function stampNameOf({ name }) {
  return `.${name}.inputs`;
}

/**
 * Builds one module into `js/pkg`. Builds are kept outside the clone by the hash of their inputs,
 * so that an unchanged module costs a copy, in a fresh clone too.
 */
async function buildModule(module, env, step) {
  const hash = hashOf(root, wasmInputs(module, env), [
    wasmBindgenVersion(),
    wasmPackVersion,
    module.name,
  ]);
  const stampName = stampNameOf(module);
  const stamp = join(outDir, stampName);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) {
    step.done('unchanged');
    return;
  }
  const buildsDir = join(cacheDir(env), 'wasm');
  const build = join(buildsDir, hash);
  if (!existsSync(build)) {
    step.wait('cargo and wasm-opt build it, about 5 minutes on 2 cores when nothing is cached');
    const unfinished = `${build}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    try {
      await wasmPack(module, unfinished, step, env);
      writeFileSync(join(unfinished, stampName), hash);
      renameSync(unfinished, build);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  utimesSync(build, new Date(), new Date());
  prune(buildsDir);
  rmSync(stamp, { force: true });
  cpSync(build, outDir, { recursive: true });
  step.done('built');
}

/**
 * Builds the engine into `js/pkg` with further arguments of cargo, and keeps it nowhere else: the next build of the
 * modules replaces it.
 */
export async function buildEngineWith(cargoArgs, env, step) {
  const [engine] = modules;
  const cargo = { ...engine.cargo, args: [...engine.cargo.args, ...cargoArgs] };
  rmSync(join(outDir, stampNameOf(engine)), { force: true });
  await wasmPack({ ...engine, cargo }, outDir, step, env);
}

/** Builds all modules; the first one is step `first` of `total`. */
export async function buildWasm(env, first = 1, total = modules.length) {
  for (const [index, module] of modules.entries()) {
    await buildModule(module, env, new Step(first + index, total, module.title));
  }
}

if (process.argv[1] === import.meta.filename) await runMain(() => buildWasm(toolEnvironment()));
