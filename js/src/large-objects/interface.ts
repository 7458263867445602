/** Values that are too large for one piece of memory, and go in and out in pieces. */

/** What `largeObjects.write` reads. Pieces may have any size; each is taken before the next one is asked for. */
export type LargeObjectSource = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** Options of `largeObjects.write`. */
export interface LargeObjectWriteOptions {
  /** Stops the call, which then leaves nothing behind: it rejects with code `57014`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `largeObjects.read`: which bytes, as `Blob.slice` counts them. */
export interface LargeObjectReadOptions {
  /** The first byte. Default 0. */
  readonly start?: number | undefined;
  /** The byte behind the last one. Default: the end of the object. */
  readonly end?: number | undefined;
}

/** What `largeObjects.write` made. */
export interface LargeObject {
  /** The number by which it is found. It is never given to another one. */
  readonly oid: number;
  readonly bytes: number;
}

/**
 * Large objects: bytes in pages of 1 MiB, which are the rows of the table `_large_objects`. It is made when the first
 * object is written. An `oid` that is not there rejects with code `42704`.
 */
export interface LargeObjects {
  /**
   * Stores all bytes of `source` as a new object, or nothing. No more than a few MiB of it are in memory at a time.
   *
   * @example
   * const { oid } = await db.largeObjects.write(file);
   * await db.query('INSERT INTO video (name, content) VALUES ($1, $2)', [file.name, oid]);
   */
  write(source: LargeObjectSource, options?: LargeObjectWriteOptions): Promise<LargeObject>;

  /**
   * The bytes of an object as a stream of pages. A page is fetched when the stream is asked for it. If the object is
   * unlinked meanwhile, the stream fails with code `42704`.
   *
   * @example
   * const video = await new Response(db.largeObjects.read(oid)).blob();
   */
  read(oid: number, options?: LargeObjectReadOptions): ReadableStream<Uint8Array<ArrayBuffer>>;

  /** How many bytes an object has. */
  size(oid: number): Promise<number>;

  /** Deletes an object. */
  unlink(oid: number): Promise<void>;
}
