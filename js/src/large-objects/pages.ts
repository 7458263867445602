import { checked, type Kind } from '../check.js';
import { bytesOf } from '../export/import-store.js';
import type { LargeObjectSource } from './interface.js';

/** Every page of an object has so many bytes, but for the last one. */
export const PAGE_BYTES = 1024 * 1024;

const aSource: Kind<LargeObjectSource> = {
  takes:
    'a Blob, a ReadableStream that nothing else reads, or an async iterable, all of Uint8Arrays',
  is: (value): value is LargeObjectSource => {
    if (value instanceof Blob) return value.size >= 0;
    if (value instanceof ReadableStream) return !value.locked;
    return typeof (value as AsyncIterable<Uint8Array>)[Symbol.asyncIterator] === 'function';
  },
};

/** What gives pieces one after another. */
interface Pieces {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  stop(reason: unknown): Promise<unknown>;
}

function piecesOf(source: LargeObjectSource): Pieces {
  if (source instanceof Blob || source instanceof ReadableStream) {
    const reader = (source instanceof Blob ? source.stream() : source).getReader();
    return { next: () => reader.read(), stop: (reason) => reader.cancel(reason) };
  }
  const iterator = source[Symbol.asyncIterator]();
  return { next: () => iterator.next(), stop: async () => iterator.return?.() };
}

/** Cuts what a source gives into pages. */
export class Pages {
  readonly #pieces: Pieces;
  /** What is left of a piece. */
  #rest: Uint8Array = new Uint8Array();
  #count = 0;
  #bytes = 0;

  constructor(source: unknown) {
    this.#pieces = piecesOf(checked('source', source, aSource));
  }

  /** How many pages were given. */
  get count(): number {
    return this.#count;
  }

  /** How many bytes they have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The next page; nothing after the last one. There is at least one: that of an empty source is empty. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const page = new Uint8Array(PAGE_BYTES);
    let filled = 0;
    while (filled < PAGE_BYTES) {
      const taken = this.#rest.subarray(0, PAGE_BYTES - filled);
      page.set(taken, filled);
      filled += taken.length;
      this.#rest = this.#rest.subarray(taken.length);
      if (filled === PAGE_BYTES) break;
      const { done, value } = await this.#pieces.next();
      if (done) break;
      this.#rest = bytesOf(value);
    }
    if (filled === 0 && this.#count > 0) return undefined;
    this.#count += 1;
    this.#bytes += filled;
    return page.subarray(0, filled);
  }

  /** Tells the source that no more is wanted of it. What it answers changes nothing. */
  stop(reason: unknown): void {
    this.#pieces.stop(reason).catch(() => undefined);
  }
}
