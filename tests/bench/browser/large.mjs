// The steps of the benchmark of a large store, each called from outside by its name.

import { VarveDB } from './js/index.js';

const ROW_BYTES = 2048;
const BATCH_ROWS = 4096;
/** Texts that rows take turns with: in a megabyte of rows, which is encoded together, none comes twice. */
const TEXTS = 32_768;
/** Ids that one UPDATE goes through: the rows that a statement writes must fit in memory together. */
const UPDATE_IDS = 65_536;
const LOOKUPS = 1000;
const RANGES = 9;
const RANGE_ROWS = 32_768;
const REOPENS = 5;
const MIB = 2 ** 20;
const OBJECT_BYTES = 300 * MIB;
const DIGITS = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
);
const decoder = new TextDecoder();

let db;

/** Text of six random bits a character: no codec makes it smaller than three quarters. */
function randomText(length) {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return decoder.decode(bytes.map((byte) => DIGITS[byte & 63]));
}

async function* batches(rows) {
  const texts = Array.from({ length: TEXTS }, () => randomText(ROW_BYTES));
  for (let first = 0; first < rows; first += BATCH_ROWS) {
    const count = Math.min(BATCH_ROWS, rows - first);
    yield {
      id: BigInt64Array.from({ length: count }, (_, row) => BigInt(first + row)),
      version: new Int32Array(count),
      payload: Array.from({ length: count }, (_, row) => texts[(first + row) % TEXTS]),
    };
  }
}

async function* randomBytes(bytes) {
  for (let at = 0; at < bytes; at += 65_536) yield crypto.getRandomValues(new Uint8Array(65_536));
}

const one = async (sql, params = []) =>
  (await db.query(sql, params, { rowMode: 'array' })).rows[0].map(Number);

const randomBelow = (limit) => Math.floor(Math.random() * limit);

/** Milliseconds of each of `count` calls. */
async function times(count, call) {
  const all = [];
  for (let i = 0; i < count; i += 1) {
    const begin = performance.now();
    await call();
    all.push(performance.now() - begin);
  }
  return all.sort((a, b) => a - b);
}

const median = (sorted) => sorted[sorted.length >> 1];
const open = (memoryLimit) => VarveDB.create('idb://large', { memoryLimit });
const rowCount = async () => (await one('SELECT count(*) FROM large'))[0];

/** Figures by their names, each with its unit. */
globalThis.steps = {
  async load({ bytes, memoryLimit }) {
    const rows = Math.ceil(bytes / ROW_BYTES);
    db = await open(memoryLimit);
    await db.exec('CREATE TABLE large (id BIGINT PRIMARY KEY, version INT NOT NULL, payload TEXT)');
    const { bytes: stored, durationMs } = await db.bulkLoad('large', batches(rows));
    const seconds = durationMs / 1000;
    return {
      rows,
      'stored MiB': stored / MIB,
      'rows/s': rows / seconds,
      'MiB/s': bytes / MIB / seconds,
    };
  },
  async lookups() {
    const rows = await rowCount();
    const sql = 'SELECT version, payload FROM large WHERE id = $1';
    const sorted = await times(LOOKUPS, () => db.query(sql, [randomBelow(rows)]));
    return { 'median ms': median(sorted), '99 % below ms': sorted[Math.floor(LOOKUPS * 0.99)] };
  },
  async ranges() {
    const rows = await rowCount();
    const sql =
      'SELECT sum(version), sum(length(payload)) FROM large WHERE id >= $1 AND id < $1 + $2';
    const range = () => one(sql, [randomBelow(rows - RANGE_ROWS), RANGE_ROWS]);
    const ms = median(await times(RANGES, range));
    return { 'median ms': ms, 'MiB/s': (RANGE_ROWS * ROW_BYTES) / MIB / (ms / 1000) };
  },
  async totals() {
    await one('SELECT count(*), sum(version) FROM large');
    return {};
  },
  async scan() {
    await one('SELECT count(*), sum(version), sum(length(payload)) FROM large');
    return {};
  },
  async object() {
    const begin = performance.now();
    const { oid, bytes } = await db.largeObjects.write(randomBytes(OBJECT_BYTES));
    const written = performance.now();
    let read = 0;
    const sink = new WritableStream({
      write: (piece) => {
        read += piece.length;
      },
    });
    await db.largeObjects.read(oid).pipeTo(sink);
    if (read !== bytes) throw new Error(`${read} bytes of ${bytes} were read`);
    const speed = (ms) => bytes / MIB / (ms / 1000);
    return {
      MiB: bytes / MIB,
      'written MiB/s': speed(written - begin),
      'read MiB/s': speed(performance.now() - written),
    };
  },
  async update() {
    const sql = `UPDATE large SET version = version + 1
      WHERE id % 20 = 0 AND id >= $1 AND id < $2`;
    const rows = await rowCount();
    let updated = 0;
    for (let first = 0; first < rows; first += UPDATE_IDS) {
      updated += (await db.query(sql, [first, first + UPDATE_IDS])).affectedRows;
    }
    return { rows: updated };
  },
  async compact() {
    await db.exec('VACUUM FULL');
    return {};
  },
  async reopen({ memoryLimit }) {
    const rows = await rowCount();
    const sorted = [];
    for (let i = 0; i < REOPENS; i += 1) {
      await db.close();
      const begin = performance.now();
      db = await open(memoryLimit);
      await db.query('SELECT version FROM large WHERE id = $1', [randomBelow(rows)]);
      sorted.push(performance.now() - begin);
    }
    sorted.sort((a, b) => a - b);
    return { 'median ms': median(sorted) };
  },
};

/** MiB that the engine's memory, which never shrinks, has grown to, and that are booked in it. */
globalThis.memory = async () => {
  const { statistics } = await db.stats();
  return {
    wasm: statistics.wasm_memory_bytes / MIB,
    booked: statistics.memory_used_bytes / MIB,
  };
};
