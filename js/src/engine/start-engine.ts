import { VarveError } from '../errors.js';
import { loadWasm } from '../load-wasm.js';
import type { EngineSource, OpenArgs } from '../protocol.js';
import { expectSecondPart, fetchSecondPart } from '../second-part.js';
import { take } from '../start-marks.js';
import init from '../varve.js';
import { expectZstd } from '../zstd.js';
import { hold, lockStore } from './lock.js';

let hasStarted = false;

/** Loads the engine into this thread, unless it is there. */
export async function startEngine({ first, rest, zstd }: EngineSource): Promise<void> {
  if (hasStarted) return;
  const module = await loadWasm(first);
  take('compiled');
  try {
    const exports = await init({ module_or_path: module });
    expectSecondPart(exports as unknown as WebAssembly.Exports, rest);
    expectZstd(zstd);
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

/** What `open` gives, with the engine started and the store's lock held until `release` is called or `open` fails. */
export async function startLocked<T>(
  { name, engine, aliveLock }: OpenArgs,
  needsAll: boolean,
  open: (release: () => void) => Promise<T>,
): Promise<T> {
  // Fetched and compiled while the locks are waited for; why it failed is told once they are held.
  const started = startEngine(engine);
  started.catch(() => undefined);
  await hold(aliveLock);
  const release = name === undefined ? () => undefined : await lockStore(name);
  try {
    await started;
    if (needsAll) await fetchSecondPart();
    return await open(release);
  } catch (error) {
    release();
    throw error;
  }
}
