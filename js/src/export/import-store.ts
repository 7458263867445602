import { described, invalidArgument, type Kind } from '../check.js';
import type { ImportSource } from '../interface.js';
import type { OpenArgs, Result } from '../protocol.js';
import type { WorkerClient } from '../worker-client.js';

/** Large chunks cross to the engine in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;

const GZIP = [0x1f, 0x8b] as const;

export const anImportSource: Kind<ImportSource> = {
  takes: 'a Blob, a Uint8Array, or a ReadableStream that nothing else reads',
  is: (value): value is ImportSource =>
    value instanceof Uint8Array ||
    (value instanceof Blob && value.size >= 0) ||
    (value instanceof ReadableStream && !value.locked),
};

/** Makes the database of exports and opens it: the next chunk is read while the engine takes the last one. */
export async function importStore(
  client: WorkerClient,
  args: OpenArgs,
  source: ImportSource,
): Promise<Result<'open'>> {
  const reader = (await streamOf(source)).getReader();
  const write = async (chunk: Uint8Array) => {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const bytes = chunk.slice(at, at + PIECE_BYTES);
      await client.request('importWrite', { bytes }, { transfer: [bytes.buffer] });
    }
  };
  try {
    await client.request('importBegin', args);
    let writing: Promise<void> = Promise.resolve();
    for (;;) {
      const [{ done, value }] = await Promise.all([reader.read(), writing]);
      if (done) break;
      writing = write(bytesOf(value));
    }
    return await client.request('importFinish', {});
  } catch (error) {
    // Neither may hide what went wrong: the source may be at its end, the import undone already.
    reader.cancel(error).catch(() => undefined);
    await client.request('importAbort', {}).catch(() => undefined);
    throw error;
  }
}

/** The bytes of a source; those of a Blob are unpacked where they are gzip's. */
async function streamOf(source: ImportSource): Promise<ReadableStream<Uint8Array>> {
  if (source instanceof ReadableStream) return source;
  const blob = source instanceof Blob ? source : new Blob([new Uint8Array(source)]);
  const first = new Uint8Array(await blob.slice(0, GZIP.length).arrayBuffer());
  const isPacked = GZIP.every((byte, at) => first[at] === byte);
  return isPacked ? blob.stream().pipeThrough(new DecompressionStream('gzip')) : blob.stream();
}

/** A piece of a stream of bytes. */
export function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw invalidArgument('source', `a stream of ${described(chunk)}`, 'a stream of Uint8Arrays');
}
