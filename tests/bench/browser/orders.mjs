// Set D13 in a worker: the same rows for every engine.

import init, { BenchSet } from './bench/bench.js';

const decoder = new TextDecoder();

/** Strings of a column; NULL where the row has none. */
function textsOf(set, column) {
  const bytes = set.textBytes(column);
  const offsets = set.textOffsets(column);
  const validity = set.validity(column);
  // D13 is ASCII, so that characters are bytes.
  const all = decoder.decode(bytes);
  return Array.from({ length: offsets.length - 1 }, (_, row) =>
    validity?.[row] === 0 ? null : all.slice(offsets[row], offsets[row + 1]),
  );
}

/** Columns by name: BigInt64Array, Int32Array, Float64Array, or arrays of strings and null. */
export async function ordersOf(size) {
  await init();
  const set = BenchSet.generate('D13', size);
  const columns = {};
  for (const [column, name] of set.columnNames().entries()) {
    const ints = set.ints(column);
    columns[name] =
      (ints && (name === 'customer_id' ? Int32Array.from(ints, Number) : ints)) ??
      set.doubles(column) ??
      textsOf(set, column);
  }
  set.free();
  return columns;
}

/** Row `row`, from 0, under another id: values in the order of the table, integers as numbers. */
export function orderAt(columns, row, id) {
  return [
    id,
    Number(columns.ts[row]),
    columns.customer_id[row],
    columns.status[row],
    columns.region[row],
    columns.email[row],
    columns.price[row],
    columns.note[row],
  ];
}
