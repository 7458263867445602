// The steps of the benchmark of a large store, each called from outside by its name.

import { VarveDB } from './js/index.js';

const ROW_BYTES = 2048;
const BATCH_ROWS = 4096;
/** Ids that one UPDATE goes through: the rows that a statement writes must fit in memory together. */
const UPDATE_IDS = 65_536;
const DIGITS = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
);
const decoder = new TextDecoder();

let db;

/** Text of six random bits a character: no codec makes it much smaller. */
function randomText(length) {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return decoder.decode(bytes.map((byte) => DIGITS[byte & 63]));
}

async function* batches(rows) {
  for (let first = 0; first < rows; first += BATCH_ROWS) {
    const count = Math.min(BATCH_ROWS, rows - first);
    yield {
      id: BigInt64Array.from({ length: count }, (_, row) => BigInt(first + row)),
      version: new Int32Array(count),
      payload: Array.from({ length: count }, () => randomText(ROW_BYTES)),
    };
  }
}

const one = async (sql) => (await db.query(sql, [], { rowMode: 'array' })).rows[0].map(Number);

globalThis.steps = {
  async load({ bytes, memoryLimit }) {
    const rows = Math.ceil(bytes / ROW_BYTES);
    db = await VarveDB.create('idb://large', { memoryLimit });
    await db.exec('CREATE TABLE large (id BIGINT PRIMARY KEY, version INT NOT NULL, payload TEXT)');
    await db.bulkLoad('large', batches(rows));
    return rows;
  },
  scan: () => one('SELECT count(*), sum(version), sum(length(payload)) FROM large'),
  async update() {
    const sql = `UPDATE large SET version = version + 1
      WHERE id % 20 = 0 AND id >= $1 AND id < $2`;
    const [rows] = await one('SELECT count(*) FROM large');
    let updated = 0;
    for (let first = 0; first < rows; first += UPDATE_IDS) {
      updated += (await db.query(sql, [first, first + UPDATE_IDS])).affectedRows;
    }
    return updated;
  },
  compact: () => db.exec('VACUUM FULL').then(() => 'done'),
  lookup: () => one('SELECT id, version FROM large WHERE id = 1000'),
};
