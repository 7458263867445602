import { canceled } from '../canceled.js';
import { anObject, checked, checkedText, invalidArgument, type Kind, reading } from '../check.js';
import type { VarveError } from '../errors.js';
import type { BulkColumn, BulkLoadOptions, BulkLoadResult, BulkSource } from '../interface.js';
import { bulkLoadOptions } from '../options.js';
import type { WorkerClient } from '../worker-client.js';
import { tableName } from './copy.js';
import { buffersOf, type Columns, checkedColumn, loadColumn, rowsOf } from './load-columns.js';

/** So many rows cross to the engine at a time. */
const BATCH_ROWS = 65_536;

const TAKES = 'an object of columns, such as { a: [1, 2] }, or an iterable of such objects';

const aSource: Kind<BulkSource> = {
  takes: TAKES,
  is: (value): value is BulkSource => typeof value === 'object' && value !== null,
};

/** A load that is checked, but for its columns, which come in batches. */
export interface LoadCall {
  readonly table: string;
  readonly source: BulkSource;
  readonly options: BulkLoadOptions;
}

export function loadCall(table: unknown, source: unknown, options: unknown): LoadCall {
  return {
    table: checkedText('table', table),
    source: checked('source', source, aSource),
    options: bulkLoadOptions(options),
  };
}

/** Streams columns into a table: the next rows are made ready while the engine takes the last ones. */
export async function loadInto(
  client: WorkerClient,
  { table, source, options }: LoadCall,
): Promise<BulkLoadResult> {
  const { autoId = false, batchRows = BATCH_ROWS, signal, onProgress } = options;
  const query = `bulk load of ${table}`;
  let load: number | undefined;
  let names: readonly string[] = [];

  const write = async (columns: Columns, start: number, end: number) => {
    const given = Array.from(columns, ([name, column]) => loadColumn(name, column, start, end));
    const args = { load: load as number, columns: given };
    const options = { query, signal, transfer: buffersOf(given) };
    return client.request('loadWrite', args, options);
  };

  let writing: Promise<{ rows: number }> | undefined;
  const written = async () => {
    if (writing === undefined) return;
    const { rows } = await writing;
    writing = undefined;
    onProgress?.({ rows });
  };

  try {
    for await (const { batch } of batchesOf(source)) {
      const columns = columnsOf(batch, names);
      const rows = rowsOf(columns);
      if (load === undefined) {
        names = [...columns.keys()];
        const begin = { table: unquoted(tableName(table)), columns: names, autoId };
        ({ load } = await client.request('loadBegin', begin, { query, signal }));
      }
      for (let start = 0; start < rows; start += batchRows) {
        if (signal?.aborted) throw canceled(signal.reason);
        const next = write(columns, start, Math.min(rows, start + batchRows));
        // Its failure is met when it is waited for.
        next.catch(() => undefined);
        await written();
        writing = next;
      }
    }
    await written();
    if (load === undefined) return NOTHING;
    return await client.request('loadFinish', { load }, { query, signal });
  } catch (error) {
    // May not hide what went wrong: the load may be undone already.
    if (load !== undefined) await client.request('loadAbort', { load }).catch(() => undefined);
    throw error;
  }
}

const NOTHING: BulkLoadResult = {
  rowCount: 0,
  bytes: 0,
  durationMs: 0,
  rowsPerSecond: 0,
  maxRowId: null,
};

/** The batches of a source, each in a box: what is awaited itself, such as a proxy, may throw. */
async function* batchesOf(source: BulkSource): AsyncGenerator<{ readonly batch: unknown }> {
  const batches = iterableOf(source);
  if (Symbol.asyncIterator in batches) for await (const batch of batches) yield { batch };
  else for (const batch of batches) yield { batch };
}

/** The iterator of a source is asked for here: one that is none is the argument's fault. */
function iterableOf(source: BulkSource): AsyncIterable<unknown> | Iterable<unknown> {
  return reading('source', source, TAKES, () => {
    const given = source as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
    const later = given[Symbol.asyncIterator]?.();
    if (later !== undefined) return { [Symbol.asyncIterator]: () => checkedIterator(later) };
    const now = given[Symbol.iterator]?.();
    if (now !== undefined) return { [Symbol.iterator]: () => checkedIterator(now) };
    return [source];
  });
}

function checkedIterator<T>(iterator: T): T {
  return checked('source', iterator, anIterator as Kind<T & object>);
}

const anIterator: Kind<object> = {
  takes: TAKES,
  is: (value): value is object => typeof (value as { next?: unknown } | null)?.next === 'function',
};

/** The columns of a batch, in the order of `names`, which are those of the first one. */
function columnsOf(batch: unknown, names: readonly string[]): Columns {
  const given = checked('source', batch, anObject);
  const columns = reading(
    'source',
    batch,
    TAKES,
    () => new Map<string, unknown>(Object.entries(given)),
  );
  const first = columns.keys().next().value;
  if (first === undefined) throw invalidArgument('source', 'an object without columns', TAKES);
  const got = new Map<string, BulkColumn>();
  for (const name of names.length === 0 ? columns.keys() : names) {
    const column = columns.get(name);
    if (column === undefined) throw otherColumns();
    got.set(name, checkedColumn(name, column));
  }
  if (got.size !== columns.size) throw otherColumns();
  return got;
}

function otherColumns(): VarveError {
  return invalidArgument('source', 'batches of different columns', 'batches of the same columns');
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll('""', '"');
}
