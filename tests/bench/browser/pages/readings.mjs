// The table of readings: the same rows for every engine and in every run.

export const STATIONS = 200;
const CHUNK_ROWS = 100_000;
const MS_PER_READING = 20_000;
const FIRST_AT = Date.UTC(2024, 0, 1);
const KINDS = [
  'temperature',
  'humidity',
  'pressure',
  'wind',
  'rain',
  'radiation',
  'visibility',
  'soil',
];
const REGIONS = ['north', 'south', 'east', 'west', 'coast', 'hills'];
const FINDINGS = ['drift', 'gap', 'noise', 'no fault', 'frost', 'spike'];

/** Whole numbers from 0 to below `limit`, the same ones each time. */
function randomInts() {
  let state = 1;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const stampOf = (row) =>
  new Date(FIRST_AT + row * MS_PER_READING).toISOString().slice(0, 19).replace('T', ' ');

/** Columns of the rows from `first` to before `end`, counted from 0. */
function chunk(first, end, random) {
  const rows = end - first;
  const fill = (cellOf) => Array.from({ length: rows }, (_, at) => cellOf(first + at));
  return {
    id: BigInt64Array.from({ length: rows }, (_, at) => BigInt(first + at + 1)),
    at: fill(stampOf),
    station: Int32Array.from({ length: rows }, () => random(STATIONS)),
    kind: fill(() => KINDS[random(KINDS.length)]),
    // Steps of a sixteenth, as of many sensors: their sums are exact, whatever order they are added in.
    value: Float64Array.from({ length: rows }, () => random(1000) / 16 - 20),
    amount: fill(() => (random(10_000_000) / 100).toFixed(2)),
    note: fill((row) =>
      row % 3 === 0
        ? `visit ${random(5000)}: ${FINDINGS[random(FINDINGS.length)]}, seen by ${random(40)}`
        : null,
    ),
  };
}

/** The table in chunks of columns. */
export function readings(rows) {
  const random = randomInts();
  const chunks = [];
  for (let first = 0; first < rows; first += CHUNK_ROWS) {
    chunks.push(chunk(first, Math.min(first + CHUNK_ROWS, rows), random));
  }
  return chunks;
}

/** The stations that readings refer to, as columns. */
export function stations() {
  const each = (cellOf) => Array.from({ length: STATIONS }, (_, id) => cellOf(id));
  return {
    id: Int32Array.from(each((id) => id)),
    name: each((id) => `station ${id}`),
    region: each((id) => REGIONS[id % REGIONS.length]),
  };
}
