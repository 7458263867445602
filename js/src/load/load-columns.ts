import { described, invalidArgument, reading, storable } from '../check.js';
import type { VarveError } from '../errors.js';
import type { BulkColumn } from '../interface.js';
import { dateParam, refuseDetached } from '../values/params.js';

/** Kinds of values, as `varve-wasm/src/columns.rs` knows them. */
const BOOLEANS = 0;
const INT32 = 1;
const INT64 = 2;
const FLOAT64 = 3;
const TEXT = 4;

/** Kind, values, for text where each ends, and for columns with NULL a byte a row, 0 for NULL. */
export type LoadColumn = readonly [
  kind: number,
  values: Uint8Array<ArrayBuffer>,
  ends: Uint32Array<ArrayBuffer> | undefined,
  validity: Uint8Array<ArrayBuffer> | undefined,
];

/** Columns by their names. */
export type Columns = ReadonlyMap<string, BulkColumn>;

const TAKES =
  'a typed array, or an array of strings, numbers, bigints, booleans or Dates, with null for NULL';

/** The values of a column; a hint where rows were given instead. */
export function checkedColumn(name: string, column: unknown): BulkColumn {
  const isColumn = reading(`source.${name}`, column, TAKES, () => {
    if (!ArrayBuffer.isView(column)) return Array.isArray(column);
    refuseDetached(column.buffer, `source.${name}`);
    return !(column instanceof DataView);
  });
  if (isColumn) return column as BulkColumn;
  const hint = 'Rows go as columns: { a: [1, 2] } instead of [{ a: 1 }, { a: 2 }].';
  throw invalidArgument(`source.${name}`, described(column), TAKES, { hint, column: name });
}

/** Number of rows of some columns; an error where they differ. */
export function rowsOf(columns: Columns): number {
  let rows: number | undefined;
  for (const [name, column] of columns) {
    rows ??= column.length;
    if (column.length !== rows) throw invalid(name, `${column.length} rows`, `${rows} rows`);
  }
  return rows ?? 0;
}

/** Rows `start` to `end` of a column, copied so that they can be given away. */
export function loadColumn(
  name: string,
  column: BulkColumn,
  start: number,
  end: number,
): LoadColumn {
  if (ArrayBuffer.isView(column)) return typedColumn(name, column, start, end);
  // A copy that has no holes.
  const values = reading(`source.${name}`, column, TAKES, () =>
    Array.from<unknown>(column.slice(start, end)),
  );
  const isNull = (value: unknown) => value === null || value === undefined;
  const first = values.find((value) => !isNull(value));
  const validity = values.some(isNull)
    ? Uint8Array.from(values, (value) => (isNull(value) ? 0 : 1))
    : undefined;
  const kind = first instanceof Date ? 'date' : typeof first;
  const wrong = values.find((value) => !isNull(value) && kindOf(value) !== kind);
  if (wrong !== undefined) throw invalid(name, `an array of ${kind} and ${kindOf(wrong)}`);
  switch (kind) {
    case 'boolean':
      return [BOOLEANS, Uint8Array.from(values, (value) => (value ? 1 : 0)), undefined, validity];
    case 'number':
      return [FLOAT64, bytesOf(Float64Array.from(values, Number)), undefined, validity];
    case 'bigint':
      return [INT64, bytesOf(int64s(name, values)), undefined, validity];
    case 'string':
    case 'date':
      return [TEXT, ...textOf(values.map((value) => text(name, value))), validity];
    case 'undefined':
      return [TEXT, ...textOf(values.map(() => '')), validity];
    default:
      throw invalid(name, `an array of ${kind}`);
  }
}

/** What of some columns can be transferred. */
export function buffersOf(columns: readonly LoadColumn[]): ArrayBuffer[] {
  return columns.flatMap(([, values, ends, validity]) =>
    [values, ends, validity].flatMap((part) => (part === undefined ? [] : [part.buffer])),
  );
}

function kindOf(value: unknown): string {
  return value instanceof Date ? 'date' : typeof value;
}

function typedColumn(
  name: string,
  column: BulkColumn & ArrayBufferView,
  start: number,
  end: number,
): LoadColumn {
  const part = column.slice(start, end);
  if (part instanceof Int32Array) return [INT32, bytesOf(part), undefined, undefined];
  if (part instanceof BigInt64Array) return [INT64, bytesOf(part), undefined, undefined];
  if (part instanceof Float64Array) return [FLOAT64, bytesOf(part), undefined, undefined];
  if (part instanceof Float32Array || part instanceof Uint32Array)
    return [FLOAT64, bytesOf(Float64Array.from(part)), undefined, undefined];
  if (
    part instanceof Int8Array ||
    part instanceof Uint8Array ||
    part instanceof Int16Array ||
    part instanceof Uint16Array
  )
    return [INT32, bytesOf(Int32Array.from(part)), undefined, undefined];
  throw invalid(name, described(column));
}

function bytesOf(array: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  // What is sliced or made here has a buffer of its own; one that is shared with other threads is copied.
  return bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}

function int64s(name: string, values: readonly unknown[]): BigInt64Array {
  return BigInt64Array.from(values, (value) => {
    const int = (value ?? 0n) as bigint;
    if (BigInt.asIntN(64, int) !== int)
      throw invalid(name, 'an integer beyond 64 bits', 'integers of 64 bits');
    return int;
  });
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return storable(value, `source.${name}`);
  if (!(value instanceof Date)) return '';
  if (Number.isNaN(value.getTime())) throw invalid(name, 'an array with an invalid Date');
  return dateParam(value);
}

const encoder = new TextEncoder();

function textOf(strings: readonly string[]): [Uint8Array<ArrayBuffer>, Uint32Array<ArrayBuffer>] {
  const ends = new Uint32Array(strings.length);
  const bytes = encoder.encode(strings.join(''));
  let end = 0;
  for (const [i, string] of strings.entries()) {
    end += string.length;
    ends[i] = end;
  }
  // Where every character is a byte, which is nearly always, the strings end where their characters do.
  if (end === bytes.length) return [bytes, ends];
  const parts = strings.map((string) => encoder.encode(string));
  end = 0;
  for (const [i, part] of parts.entries()) {
    end += part.length;
    ends[i] = end;
  }
  const all = new Uint8Array(end);
  for (const [i, part] of parts.entries()) all.set(part, (ends[i] ?? 0) - part.length);
  return [all, ends];
}

function invalid(column: string, got: string, takes = TAKES): VarveError {
  return invalidArgument(`source.${column}`, got, takes, { column });
}
