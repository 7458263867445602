import { type ErrorFields, VarveError } from './errors.js';
import type {
  Pieces,
  ZstdOptions,
  ZstdRequest,
  ZstdRequestName,
  ZstdRequests,
  ZstdResponse,
  ZstdResult,
} from './zstd-protocol.js';

interface Pending {
  resolve(result: ZstdResult): void;
  reject(error: VarveError): void;
}

/** Starts the worker. Written out in one piece, because bundlers look for exactly this expression. */
function startZstdWorker(): Worker {
  return new Worker(new URL('./zstd-worker.js', import.meta.url), {
    type: 'module',
    name: 'varvedb-zstd',
  });
}

/**
 * The zstd encoder and trainer: a wasm module of its own in a worker of its own, both started by the
 * first request. If they cannot be had, requests reject, and the next one tries again.
 */
export class ZstdClient {
  readonly #start: () => Worker;
  #worker: Worker | undefined;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(start: () => Worker = startZstdWorker) {
    this.#start = start;
  }

  /** One frame for each content. */
  async compress(contents: readonly Uint8Array[], options: ZstdOptions): Promise<Uint8Array[]> {
    const pieces = joined(contents);
    return parted(await this.#request('compress', { contents: pieces, options }, pieces));
  }

  /** A dictionary of at most `bytesMax` for contents like these. */
  train(samples: readonly Uint8Array[], bytesMax: number): Promise<Uint8Array> {
    const pieces = joined(samples);
    return this.#request('train', { samples: pieces, bytesMax }, pieces);
  }

  /** Ends the worker; what waits for it rejects. The next request starts another. */
  close(): void {
    this.#end({ code: 'closed', message: 'the zstd encoder is closed' });
  }

  #request<K extends ZstdRequestName>(
    name: K,
    args: ZstdRequests[K]['args'],
    moved: Pieces,
  ): Promise<ZstdRequests[K]['result']> {
    return new Promise<ZstdResult>((resolve, reject) => {
      this.#worker ??= this.#started();
      this.#lastId += 1;
      this.#pending.set(this.#lastId, { resolve, reject });
      const request = { id: this.#lastId, name, args } as ZstdRequest;
      this.#worker.postMessage(request, [moved.bytes.buffer, moved.lengths.buffer]);
    }) as Promise<ZstdRequests[K]['result']>;
  }

  #started(): Worker {
    const worker = this.#start();
    worker.addEventListener('message', ({ data }: MessageEvent<ZstdResponse>) => {
      const pending = this.#pending.get(data.id);
      this.#pending.delete(data.id);
      if ('result' in data) pending?.resolve(data.result);
      else pending?.reject(new VarveError(data.error));
    });
    const died = (detail: string) => {
      if (this.#worker !== worker) return;
      this.#end({ code: 'worker_died', message: 'the zstd encoder has ended', detail });
    };
    worker.addEventListener('error', (event) =>
      died(event.message || 'its script could not be loaded'),
    );
    worker.addEventListener('messageerror', () => died('an answer could not be read'));
    return worker;
  }

  #end(error: ErrorFields): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new VarveError(error));
  }
}

function joined(pieces: readonly Uint8Array[]): Pieces {
  const lengths = Uint32Array.from(pieces, (piece) => piece.length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { bytes, lengths };
}

function parted({ bytes, lengths }: Pieces): Uint8Array[] {
  let at = 0;
  return Array.from(lengths, (length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
}
