import { VarveError } from './errors.js';
import { loadWasm } from './load-wasm.js';
import type { WasmSource } from './protocol.js';
import init from './varve.js';

/** Loads the engine into this thread. */
export async function startEngine(source: WasmSource | undefined): Promise<void> {
  const module = await loadWasm(source);
  try {
    await init({ module_or_path: module });
  } catch (cause) {
    throw new VarveError(
      {
        code: 'wasm_load_failed',
        message: 'the engine does not fit this version of the package',
        detail: String(cause),
      },
      { cause },
    );
  }
}
