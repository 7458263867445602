import type { VarveDB } from 'varvedb';
import { CSV_BYTES_TABLE, readCsvBytes } from './csv-bytes';

export interface ColumnReport {
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
  readonly storedBytes: number;
  readonly encodings: string;
  /** Missing where the column was not imported, or the table has changed since. */
  readonly csvBytes: number | undefined;
}

export interface TableReport {
  readonly name: string;
  readonly rows: number;
  readonly storedBytes: number;
  readonly csvBytes: number | undefined;
  /** What is stored beside the columns, and its bytes. */
  readonly overhead: { readonly what: string; readonly bytes: number } | undefined;
  /** Rows in the memtable and the log, not yet in a run; they belong to no column's bytes. */
  readonly rowsInMemory: number;
  readonly columns: readonly ColumnReport[];
}

interface TablesRow {
  table_name: string;
  column_name: string;
  data_type: string;
  primary_key: boolean;
}

interface StorageRow {
  table_name: string;
  column_name: string | null;
  rows: number;
  stored_bytes: number;
  encodings: string | null;
}

/** Those that the user made: what jobs and continuous aggregates keep is in other schemas. */
const TABLES = `SELECT t.* FROM varve_tables t
WHERE t.table_name IN (SELECT relname FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p'))
ORDER BY t.table_name, t.ordinal`;

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** Every table of the user with its columns, and what they take in storage. */
export async function readReport(db: VarveDB): Promise<readonly TableReport[]> {
  const tables = await db.query<TablesRow>(TABLES);
  const storage = await db.query<StorageRow>('SELECT * FROM varve_storage');
  const csv = await readCsvBytes(db);
  const names = [...new Set(tables.rows.map((row) => row.table_name))];
  return names
    .filter((name) => name !== CSV_BYTES_TABLE)
    .map((name) => {
      const parts = storage.rows.filter((row) => row.table_name === name);
      const stored = new Map(parts.map((row) => [row.column_name, row]));
      const beside = parts.filter((row) => row.column_name === null);
      const overhead = beside.filter((row) => Number(row.stored_bytes) > 0);
      const inMemory = beside.find((row) => Number(row.stored_bytes) === 0);
      const rows = Math.max(0, ...parts.map((row) => Number(row.rows)));
      const known = csv.get(name);
      const original = known?.rows === rows ? known.byColumn : undefined;
      const columns = tables.rows
        .filter((row) => row.table_name === name)
        .map((row) => ({
          name: row.column_name,
          type: row.data_type,
          isKey: row.primary_key,
          storedBytes: Number(stored.get(row.column_name)?.stored_bytes ?? 0),
          encodings: stored.get(row.column_name)?.encodings ?? '',
          csvBytes: original?.get(row.column_name),
        }));
      return {
        name,
        rows,
        storedBytes: sum(parts.map((row) => Number(row.stored_bytes))),
        csvBytes: original ? sum([...original.values()]) : undefined,
        overhead:
          overhead.length === 0
            ? undefined
            : {
                what: overhead.map((row) => row.encodings ?? 'other').join(', '),
                bytes: sum(overhead.map((row) => Number(row.stored_bytes))),
              },
        rowsInMemory: Number(inMemory?.rows ?? 0),
        columns,
      };
    });
}
