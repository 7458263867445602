import { VarveError } from '../errors.js';
import { loadWasm } from '../load-wasm.js';
import type { WasmSource } from '../protocol.js';
import init from '../varve.js';

let hasStarted = false;

/** Loads the engine into this thread, unless it is there. */
export async function startEngine(source: WasmSource | undefined): Promise<void> {
  if (hasStarted) return;
  const module = await loadWasm(source);
  try {
    await init({ module_or_path: module });
    hasStarted = true;
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
