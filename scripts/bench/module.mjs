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

/** The arguments of wasm-opt: those that the shipped module is built with, or its profile's own. */
function optimisation(profile) {
  const manifest = readFileSync(join(root, 'crates/varve-wasm/Cargo.toml'), 'utf8');
  const list = /^wasm-opt = (\[[^\]]*\])/m.exec(manifest);
  if (!list) throw new Stop('crates/varve-wasm/Cargo.toml does not say how wasm-opt is called.');
  const shipped = JSON.parse(list[1]);
  if (profile === 'wasm') return shipped;
  return ['-O3', ...shipped.filter((argument) => argument.startsWith('--enable-'))];
}

/** Builds a crate as a wasm module under a cargo profile, optimised as what is shipped; answers its folder. */
async function buildModule(crate, profile, out, optimiserArgs = []) {
  const env = toolEnvironment();
  const library = ['-p', crate, '--lib', '--target', TARGET];
  await run('cargo', ['build', '--quiet', '--profile', profile, ...library], env);
  const wasm = join(targetDir(env), TARGET, profile, `${crate.replaceAll('-', '_')}.wasm`);
  const names = ['--out-dir', out, '--out-name', 'bench'];
  await run('wasm-bindgen', ['--target', 'nodejs', '--no-typescript', ...names, wasm], env);
  const bound = join(out, 'bench_bg.wasm');
  const args = [...optimisation(profile), ...optimiserArgs, bound, '-o', `${bound}.opt`];
  await run('wasm-opt', args, env);
  renameSync(`${bound}.opt`, bound);
  return out;
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'varve-bench-'));

/** Builds the benchmarks; answers the folder for `loadBenchModule`. */
export const buildBenchModule = (profile) => buildModule('varve-bench', profile, newFolder());

/** Builds the codecs alone, with the names of their functions; answers the path of the module. */
export async function buildSizeModule(profile) {
  const folder = newFolder();
  await buildModule('varve-bench-size', profile, folder, ['-g']);
  return join(folder, 'bench_bg.wasm');
}

/** The exports of a module of `buildBenchModule`. */
export function loadBenchModule(folder) {
  return createRequire(import.meta.url)(join(folder, 'bench.js'));
}
