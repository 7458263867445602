import { columnName, inferTable, type TablePlan } from './infer';
import { guessDelimiter, readRecords } from './records';

const SAMPLE_BYTES = 256 * 1024;

/** What the beginning of a file says about it. */
export interface CsvSample extends TablePlan {
  /** A name for the table, made of the file's. */
  readonly table: string;
  readonly delimiter: string;
  readonly records: readonly string[][];
}

/** Reads the header and the first records of a file. */
export async function sampleCsvFile(file: File): Promise<CsvSample> {
  const isWholeFile = file.size <= SAMPLE_BYTES;
  // A character that the cut divides ends in the last, incomplete record, which is not looked at.
  const text = (await file.slice(0, SAMPLE_BYTES).text()).replace(/^\uFEFF/, '');
  const delimiter = guessDelimiter(text, isWholeFile);
  const [header, ...records] = readRecords(text, delimiter, isWholeFile);
  if (!header) throw new Error('The file has no header line, or its first lines are too long.');
  const table = columnName(file.name.replace(/\.[^.]*$/, ''), 1);
  return { table, delimiter, records, ...inferTable(header, records) };
}
