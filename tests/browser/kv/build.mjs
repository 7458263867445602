import { buildWasmModule } from '../../../scripts/lib/wasm-module.mjs';

const EXAMPLE = 'kv_idb_browser_suite';

/** Builds the suite as a wasm module and answers the new folder that holds it. */
export const buildSuite = () =>
  buildWasmModule({
    args: ['-p', 'varve-kv-idb', '--example', EXAMPLE],
    file: `examples/${EXAMPLE}.wasm`,
    host: 'web',
  });
