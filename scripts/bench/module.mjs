import { mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolEnvironment } from '../lib/environment.mjs';
import { root, targetDir } from '../lib/paths.mjs';
import { runLines } from '../lib/run.mjs';
import { Stop } from '../lib/stop.mjs';

const TARGET = 'wasm32-unknown-unknown';

async function run(command, args, env) {
  const { code, tail } = await runLines(command, args, { env });
  if (code !== 0) throw new Stop(`${command} failed:\n${tail.join('\n')}`);
}

/** The arguments of wasm-opt that the shipped module is built with. */
function optimisation() {
  const manifest = readFileSync(join(root, 'crates/varve-wasm/Cargo.toml'), 'utf8');
  const list = /^wasm-opt = (\[[^\]]*\])/m.exec(manifest);
  if (!list) throw new Stop('crates/varve-wasm/Cargo.toml does not say how wasm-opt is called.');
  return JSON.parse(list[1]);
}

/** Builds the benchmarks as a wasm module under a cargo profile, optimised as what is shipped; answers its folder. */
export async function buildBenchModule(profile) {
  const env = toolEnvironment();
  const library = ['-p', 'varve-bench', '--lib', '--target', TARGET];
  await run('cargo', ['build', '--quiet', '--profile', profile, ...library], env);
  const wasm = join(targetDir(env), TARGET, profile, 'varve_bench.wasm');
  const out = mkdtempSync(join(tmpdir(), 'varve-bench-'));
  const names = ['--out-dir', out, '--out-name', 'bench'];
  await run('wasm-bindgen', ['--target', 'nodejs', '--no-typescript', ...names, wasm], env);
  const bound = join(out, 'bench_bg.wasm');
  await run('wasm-opt', [...optimisation(), bound, '-o', `${bound}.opt`], env);
  renameSync(`${bound}.opt`, bound);
  return out;
}

/** The exports of a module built before. */
export function loadBenchModule(folder) {
  return createRequire(import.meta.url)(join(folder, 'bench.js'));
}
