import { join } from 'node:path';
import { cargoBinDir, pathWith, root, targetDir, toolDir } from './paths.mjs';
import { wasmBindgenVersion, wasmPackVersion } from './versions.mjs';

/** The environment in which every tool of the project runs. */
export function toolEnvironment(env = process.env) {
  const folders = [
    join(toolDir('wasm-bindgen-cli', wasmBindgenVersion(), env), 'bin'),
    join(toolDir('wasm-pack', wasmPackVersion, env), 'bin'),
    join(root, 'node_modules', '.bin'),
    cargoBinDir(env),
  ];
  return {
    ...env,
    PATH: pathWith(folders, env.PATH),
    CARGO_TARGET_DIR: targetDir(env),
    // Sets of incremental artefacts fill the cache and a clean clone gains nothing from them.
    CARGO_INCREMENTAL: env.CARGO_INCREMENTAL ?? '0',
  };
}
