import { type ErrorFields, VarveError } from './errors.js';
import { loadWasm } from './load-wasm.js';
import init, { ZstdCoder } from './varve_zstd.js';
import type { ZstdRequest, ZstdResponse, ZstdResult } from './zstd-protocol.js';

/** What this file uses of a worker's global scope: the types of pages and of workers exclude each other. */
interface WorkerScope {
  postMessage(message: ZstdResponse, transfer: Transferable[]): void;
  addEventListener(type: 'message', handler: (event: MessageEvent<ZstdRequest>) => void): void;
}

const scope = globalThis as unknown as WorkerScope;

let loading: Promise<ZstdCoder> | undefined;

async function load(): Promise<ZstdCoder> {
  // Bundlers look for exactly this expression.
  const url = new URL('./varve_zstd_bg.wasm', import.meta.url).href;
  try {
    await init({ module_or_path: await loadWasm({ url }) });
  } catch (cause) {
    throw new VarveError({
      code: 'wasm_load_failed',
      message: `the zstd encoder could not be loaded from ${url}`,
      detail: cause instanceof Error ? cause.message : String(cause),
    });
  }
  return new ZstdCoder();
}

/** Loaded by the first request that finds it; after a failure the next request tries again. */
async function coder(): Promise<ZstdCoder> {
  loading ??= load();
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function answer(request: ZstdRequest): Promise<ZstdResult> {
  const zstd = await coder();
  if (request.name === 'train') {
    const { samples, bytesMax } = request.args;
    return zstd.train(samples.bytes, samples.lengths, bytesMax) as Uint8Array<ArrayBuffer>;
  }
  const { contents, options } = request.args;
  const { level, dictionary, compact = false } = options;
  const frames = zstd.compress(contents.bytes, contents.lengths, level, dictionary, compact);
  try {
    const { bytes, lengths } = frames;
    return {
      bytes: bytes as Uint8Array<ArrayBuffer>,
      lengths: lengths as Uint32Array<ArrayBuffer>,
    };
  } finally {
    frames.free();
  }
}

function plain(error: unknown): ErrorFields {
  if (error instanceof VarveError) {
    const { code, message, detail } = error;
    return { code, message, detail };
  }
  // After a trap nothing in the instance can be trusted.
  if (error instanceof WebAssembly.RuntimeError) loading = undefined;
  return { code: 'XX000', message: error instanceof Error ? error.message : String(error) };
}

async function respond(request: ZstdRequest): Promise<void> {
  const { id } = request;
  try {
    const result = await answer(request);
    const transfer =
      'lengths' in result ? [result.bytes.buffer, result.lengths.buffer] : [result.buffer];
    scope.postMessage({ id, result }, transfer);
  } catch (error) {
    scope.postMessage({ id, error: plain(error) }, []);
  }
}

scope.addEventListener('message', ({ data }) => void respond(data));
