import { VarveError } from '../errors.js';
import { loadWasm } from '../load-wasm.js';
import type { EngineSource } from '../protocol.js';
import { expectSecondPart } from '../second-part.js';
import { take } from '../start-marks.js';
import init from '../varve.js';

let hasStarted = false;

/** Loads the engine into this thread, unless it is there. */
export async function startEngine({ first, rest }: EngineSource): Promise<void> {
  if (hasStarted) return;
  const module = await loadWasm(first);
  take('compiled');
  try {
    const exports = await init({ module_or_path: module });
    expectSecondPart(exports as unknown as WebAssembly.Exports, rest);
    hasStarted = true;
    take('started');
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
