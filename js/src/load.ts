import { canceled } from './canceled.js';
import { tableName } from './copy.js';
import { VarveError } from './errors.js';
import type { BulkColumns, BulkLoadOptions, BulkLoadResult, BulkSource } from './interface.js';
import { buffersOf, loadColumn, rowsOf } from './load-columns.js';
import type { WorkerClient } from './worker-client.js';

/** So many rows cross to the engine at a time. */
const BATCH_ROWS = 65_536;

/** Streams columns into a table: the next rows are made ready while the engine takes the last ones. */
export async function loadInto(
  client: WorkerClient,
  table: string,
  source: BulkSource,
  { autoId = false, batchRows = BATCH_ROWS, signal, onProgress }: BulkLoadOptions,
): Promise<BulkLoadResult> {
  const query = `bulk load of ${table}`;
  let load: number | undefined;
  let names: readonly string[] = [];

  const write = async (columns: BulkColumns, start: number, end: number) => {
    const given = names.map((name) => loadColumn(name, columns[name] ?? [], start, end));
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
    for await (const columns of batchesOf(source)) {
      const rows = rowsOf(columns);
      if (load === undefined) {
        names = Object.keys(columns);
        const begin = { table: unquoted(tableName(table)), columns: names, autoId };
        ({ load } = await client.request('loadBegin', begin, { query, signal }));
      } else if (!sameNames(names, columns)) {
        throw new VarveError({ code: '22023', message: 'the batches have different columns' });
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

function batchesOf(source: BulkSource): AsyncIterable<BulkColumns> | Iterable<BulkColumns> {
  const isStream = Symbol.asyncIterator in source || Symbol.iterator in source;
  return isStream
    ? (source as AsyncIterable<BulkColumns> | Iterable<BulkColumns>)
    : [source as BulkColumns];
}

function sameNames(names: readonly string[], columns: BulkColumns): boolean {
  return Object.keys(columns).length === names.length && names.every((name) => name in columns);
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll('""', '"');
}
