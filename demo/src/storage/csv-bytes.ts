import type { VarveDB } from 'varvedb';

/** The demo's own table: what each imported column took as CSV. Kept in the database, so that it is there when the rows are. */
export const CSV_BYTES_TABLE = 'demo_csv_bytes';

interface CsvBytesRow {
  table_name: string;
  column_name: string;
  csv_bytes: number;
  csv_rows: number;
}

/** What the columns of one table took as CSV, and for how many rows. */
export interface CsvBytes {
  readonly rows: number;
  readonly byColumn: ReadonlyMap<string, number>;
}

async function isKept(db: VarveDB): Promise<boolean> {
  const { rows } = await db.query(
    'SELECT table_name FROM varve_tables WHERE table_name = $1 LIMIT 1',
    [CSV_BYTES_TABLE],
  );
  return rows.length > 0;
}

export async function recordCsvBytes(
  db: VarveDB,
  table: string,
  columns: readonly string[],
  bytes: readonly number[],
  rows: number,
): Promise<void> {
  if (!(await isKept(db))) {
    await db.exec(
      `CREATE TABLE ${CSV_BYTES_TABLE} (table_name TEXT, column_name TEXT, csv_bytes BIGINT, csv_rows BIGINT, PRIMARY KEY (table_name, column_name))`,
    );
  }
  const params = columns.flatMap((column, index) => [table, column, bytes[index] ?? 0, rows]);
  const places = columns.map((_, index) => {
    const first = index * 4 + 1;
    return `($${first}, $${first + 1}, $${first + 2}, $${first + 3})`;
  });
  await db.transaction(async (tx) => {
    await tx.query(`DELETE FROM ${CSV_BYTES_TABLE} WHERE table_name = $1`, [table]);
    await tx.query(`INSERT INTO ${CSV_BYTES_TABLE} VALUES ${places.join(', ')}`, params);
  });
}

/** What is known of every imported table, by its name. */
export async function readCsvBytes(db: VarveDB): Promise<ReadonlyMap<string, CsvBytes>> {
  const tables = new Map<string, { rows: number; byColumn: Map<string, number> }>();
  if (!(await isKept(db))) return tables;
  const { rows } = await db.query<CsvBytesRow>(`SELECT * FROM ${CSV_BYTES_TABLE}`);
  for (const row of rows) {
    const known = tables.get(row.table_name) ?? {
      rows: Number(row.csv_rows),
      byColumn: new Map<string, number>(),
    };
    known.byColumn.set(row.column_name, Number(row.csv_bytes));
    tables.set(row.table_name, known);
  }
  return tables;
}
