import { wasmBindgenVersion, wasmPackVersion } from '../lib/versions.mjs';
import { cargoTool } from './cargo-tool.mjs';

/** Not `--locked`: the lock file that it was published with names a crate version that the registry lacks. */
export const wasmBindgen = cargoTool({
  name: 'wasm-bindgen-cli',
  binaries: ['wasm-bindgen', 'wasm-bindgen-test-runner'],
  version: wasmBindgenVersion(),
  locked: false,
});

/** From crates.io, because the npm package of this name downloads a binary from elsewhere. */
export const wasmPack = cargoTool({
  name: 'wasm-pack',
  binaries: ['wasm-pack'],
  version: wasmPackVersion,
  locked: true,
});
