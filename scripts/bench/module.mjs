import { readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { Stop } from '../lib/stop.mjs';
import { buildWasmModule, runTool } from '../lib/wasm-module.mjs';

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
async function buildModule(crate, profile, { host = 'nodejs', optimiserArgs = [] } = {}) {
  const args = ['--quiet', '-p', crate, '--lib'];
  const file = `${crate.replaceAll('-', '_')}.wasm`;
  const out = await buildWasmModule({ args, file, host, profile, name: 'bench' });
  const bound = join(out, 'bench_bg.wasm');
  const optimiser = [...optimisation(profile), ...optimiserArgs, bound, '-o', `${bound}.opt`];
  await runTool('wasm-opt', optimiser, toolEnvironment());
  renameSync(`${bound}.opt`, bound);
  return out;
}

/** Builds the benchmarks for `host`; answers the folder, in Node that for `loadBenchModule`. */
export const buildBenchModule = (profile, host) => buildModule('varve-bench', profile, { host });

/** Builds the codecs alone, with the names of their functions; answers the path of the module. */
export async function buildSizeModule(profile) {
  const folder = await buildModule('varve-bench-size', profile, { optimiserArgs: ['-g'] });
  return join(folder, 'bench_bg.wasm');
}

/** The exports of a module of `buildBenchModule`. */
export function loadBenchModule(folder) {
  return createRequire(import.meta.url)(join(folder, 'bench.js'));
}
