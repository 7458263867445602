export const MIB = 1024 * 1024;

/** Bytes that no codec makes smaller, and that are known at each place. */
export function noise(start: number, count: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil((count + 4) / 4) + 1);
  const first = Math.floor(start / 4);
  for (let i = 0; i < words.length; i += 1) {
    let word = Math.imul(first + i + 1, 0x9e3779b1);
    word = Math.imul(word ^ (word >>> 15), 0x85ebca6b);
    words[i] = word ^ (word >>> 13);
  }
  return new Uint8Array(words.buffer).slice(start % 4, (start % 4) + count);
}

/** So many bytes in pieces of a size, and what of them was asked for. */
export function pieces(bytes: number, size: number) {
  const asked = { bytes: 0, wasStopped: false };
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      while (asked.bytes < bytes) {
        const piece = noise(asked.bytes, Math.min(size, bytes - asked.bytes));
        asked.bytes += piece.length;
        yield piece;
      }
    } finally {
      asked.wasStopped = true;
    }
  }
  return { source: source(), asked };
}

/** A Response would hide what the stream fails with. */
export async function bytesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  await stream.pipeTo(new WritableStream({ write: (piece) => void pieces.push(piece) }));
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** Whether the bytes are the same; comparing them one by one as values takes long. */
export function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
