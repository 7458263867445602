import type { CopyProgress, CopyResult, VarveDB } from 'varvedb';
import { ColumnByteCounter } from '../csv/column-bytes';
import { quoteIdentifier } from '../sql-text';
import { recordCsvBytes } from '../storage/csv-bytes';

/** A table to be made of CSV that begins with a header line. */
export interface TableImport {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly primaryKey?: readonly string[];
  /** What stands in WITH: of a hypertable, for one. */
  readonly options?: string;
  readonly source: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly totalBytes: number;
  readonly delimiter: string;
  readonly nullText: string;
}

export type ImportProgress = Required<CopyProgress>;

function createTable({ table, columns, primaryKey = [], options }: TableImport): string {
  const parts = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`);
  if (primaryKey.length > 0) {
    parts.push(`PRIMARY KEY (${primaryKey.map(quoteIdentifier).join(', ')})`);
  }
  const storage = options === undefined ? '' : ` WITH (${options})`;
  return `CREATE TABLE ${quoteIdentifier(table)} (${parts.join(', ')})${storage}`;
}

/** An import that was killed leaves its table without rows, and that table is nobody's. */
async function dropEmptyTable(db: VarveDB, table: string): Promise<void> {
  const { rows } = await db.query(
    'SELECT table_name FROM varve_tables WHERE table_name = $1 LIMIT 1',
    [table],
  );
  if (rows.length === 0) return;
  const first = await db.query(`SELECT 1 AS found FROM ${quoteIdentifier(table)} LIMIT 1`);
  if (first.rows.length === 0) await db.exec(`DROP TABLE ${quoteIdentifier(table)}`);
}

/**
 * Makes the table and fills it, or leaves everything as it was: a table that exists and has rows is
 * refused with 42P07, and one that this call made is dropped when its data turns out to be wrong.
 */
export async function importTable(
  db: VarveDB,
  plan: TableImport,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<CopyResult> {
  await dropEmptyTable(db, plan.table);
  await db.exec(createTable(plan));
  const counter = new ColumnByteCounter(plan.delimiter);
  try {
    const result = await db.copyFrom(
      quoteIdentifier(plan.table),
      plan.source.pipeThrough(counter.stream()),
      {
        header: true,
        delimiter: plan.delimiter,
        null: plan.nullText,
        onProgress: (progress) => onProgress({ ...progress, totalBytes: plan.totalBytes }),
        signal,
      },
    );
    const names = plan.columns.map((column) => column.name);
    await recordCsvBytes(db, plan.table, names, counter.bytes, result.rowCount);
    return result;
  } catch (problem) {
    if (!db.closed) await db.exec(`DROP TABLE ${quoteIdentifier(plan.table)}`);
    throw problem;
  }
}
