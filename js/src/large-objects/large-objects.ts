import { aSignal, checked, checkedOptions, invalidArgument, type Kind } from '../check.js';
import { VarveError } from '../errors.js';
import type {
  LargeObject,
  LargeObjectReadOptions,
  LargeObjectSource,
  LargeObjects,
  LargeObjectWriteOptions,
} from './interface.js';
import { PAGE_BYTES, Pages } from './pages.js';
import type { Run, Write } from './write.js';

const LAST_PAGE = `SELECT pageno, octet_length(data) FROM public._large_objects
  WHERE loid = $1 ORDER BY pageno DESC LIMIT 1`;
const PAGE = 'SELECT data FROM public._large_objects WHERE loid = $1 AND pageno = $2';
const UNLINK = 'DELETE FROM public._large_objects WHERE loid = $1';

const OID_MAX = 2 ** 31 - 1;

const anOid: Kind<number> = {
  takes: `a whole number from 1 to ${OID_MAX}`,
  is: (value): value is number =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= OID_MAX,
};

const aPlace: Kind<number> = {
  takes: 'a whole number, 0 or more',
  is: (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
};

/** The large objects of a database, or of a transaction in it: `run` and `write` say which. */
export class StoredLargeObjects implements LargeObjects {
  readonly #run: Run;
  readonly #write: Write;

  constructor(run: Run, write: Write) {
    this.#run = run;
    this.#write = write;
  }

  async write(source: LargeObjectSource, options?: LargeObjectWriteOptions): Promise<LargeObject> {
    const { signal } = checkedOptions<LargeObjectWriteOptions>(options, { signal: aSignal });
    const pages = new Pages(source);
    try {
      return await this.#write(pages, signal);
    } catch (error) {
      pages.stop(error);
      throw error;
    }
  }

  read(oid: number, options?: LargeObjectReadOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
    const object = checked('oid', oid, anOid);
    const { start = 0, end } = readOptions(options);
    let at = start;
    let until: number | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          until ??= Math.min(end ?? Number.POSITIVE_INFINITY, await this.#size(object));
          if (at >= until) {
            controller.close();
            return;
          }
          const bytes = await this.#bytes(object, at, until);
          at += bytes.length;
          controller.enqueue(bytes);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async size(oid: number): Promise<number> {
    return this.#size(checked('oid', oid, anOid));
  }

  async unlink(oid: number): Promise<void> {
    const object = checked('oid', oid, anOid);
    if ((await this.#of(object, UNLINK)).affectedRows === 0) throw missing(object);
  }

  async #size(oid: number): Promise<number> {
    const [last] = (await this.#of(oid, LAST_PAGE)).rows as [number, number][];
    if (last === undefined) throw missing(oid);
    return last[0] * PAGE_BYTES + last[1];
  }

  /** Those from `at` on, up to `until` or the end of the page. */
  async #bytes(oid: number, at: number, until: number): Promise<Uint8Array<ArrayBuffer>> {
    const number = Math.floor(at / PAGE_BYTES);
    const first = number * PAGE_BYTES;
    const [row] = (await this.#of(oid, PAGE, number)).rows as [Uint8Array<ArrayBuffer>][];
    if (row === undefined) throw missing(oid);
    const end = Math.min(PAGE_BYTES, until - first);
    const [page] = row;
    if (page.length < end) {
      throw new VarveError({
        code: 'XX001',
        message: `page ${number} of large object ${oid} has ${page.length} bytes, fewer than it had`,
        hint: 'Only the last page of an object may have fewer than 1048576 bytes.',
      });
    }
    return at === first && end === page.length ? page : page.slice(at - first, end);
  }

  /** Runs a statement about an object. Where there is no table yet there is no object either. */
  async #of(oid: number, sql: string, ...params: readonly number[]): ReturnType<Run> {
    try {
      return await this.#run(sql, [oid, ...params]);
    } catch (error) {
      throw error instanceof VarveError && error.code === '42P01' ? missing(oid) : error;
    }
  }
}

function readOptions(given: unknown): LargeObjectReadOptions {
  const options = checkedOptions<LargeObjectReadOptions>(given, { start: aPlace, end: aPlace });
  const { start = 0, end = start } = options;
  if (end < start) throw invalidArgument('end', String(end), `no less than start, ${start}`);
  return options;
}

function missing(oid: number): VarveError {
  return new VarveError({ code: '42704', message: `large object ${oid} does not exist` });
}
