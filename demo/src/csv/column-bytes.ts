const QUOTE = 0x22;
const NEWLINE = 0x0a;

/** Passes CSV on unchanged and counts what each column of it takes: its fields, quotes, delimiters and line ends. */
export class ColumnByteCounter {
  readonly #delimiter: number;
  readonly #bytes: number[] = [];
  #column = 0;
  #isQuoted = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** Bytes by column, in the order of the file. */
  get bytes(): readonly number[] {
    return this.#bytes;
  }

  stream(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    return new TransformStream({
      transform: (chunk, controller) => {
        this.count(chunk);
        controller.enqueue(chunk);
      },
    });
  }

  count(chunk: Uint8Array): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      if (this.#isQuoted || (byte !== this.#delimiter && byte !== NEWLINE)) continue;
      this.#add(at + 1 - start);
      start = at + 1;
      this.#column = byte === NEWLINE ? 0 : this.#column + 1;
    }
    this.#add(chunk.length - start);
  }

  #add(count: number): void {
    this.#bytes[this.#column] = (this.#bytes[this.#column] ?? 0) + count;
  }
}
