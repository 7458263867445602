import { loadWasm, loadWasmNow, ZSTD } from './load-wasm.js';
import type { WasmSource } from './protocol.js';
import { compress, initSync, setDictionary, train } from './varve_zstd.js';

/** A job that could not have it asks no server again before that. */
const RETRY_MS = 30_000;

let source: WasmSource | undefined;
let isThere = false;
let fetching: Promise<void> | undefined;
let failed: { readonly at: number; readonly error: unknown } | undefined;

/** Where what makes frames of zstd is. */
export function expectZstd(given: WasmSource | undefined): void {
  source = given;
}

/** What the engine calls before it writes: fetches the module, unless it is there. */
export async function fetchZstd(): Promise<void> {
  if (isThere) return;
  if (failed !== undefined && performance.now() - failed.at < RETRY_MS) throw failed.error;
  fetching ??= fetched();
  try {
    await fetching;
  } catch (error) {
    failed = { at: performance.now(), error };
    throw error;
  } finally {
    fetching = undefined;
  }
}

async function fetched(): Promise<void> {
  instantiate(await loadWasm(source, ZSTD));
}

function instantiate(module: WebAssembly.Module): void {
  // A statement may have loaded it meanwhile.
  if (!isThere) initSync({ module });
  isThere = true;
}

/** The same in the middle of a statement. */
export function fetchZstdNow(): void {
  if (!isThere) instantiate(loadWasmNow(source, ZSTD));
}

/** Says which dictionary the next frames are made with. */
export function setZstdDictionary(dictionary: Uint8Array | undefined): void {
  if (!setDictionary(dictionary)) throw new Error('zstd refused the dictionary');
}

/** What the engine calls once it is there; it catches what is thrown, a trap too. */
export function compressZstd(...args: Parameters<typeof compress>): Uint8Array {
  return made(compress(...args));
}

export function trainZstd(...args: Parameters<typeof train>): Uint8Array {
  return made(train(...args));
}

function made(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error('zstd refused it');
  return bytes;
}
