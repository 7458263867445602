// The cases after the start, called from outside by their names. Each answers `{ name: { unit, values } }`.

import { queriesOf } from './queries.mjs';
import { readings, stations } from './readings.mjs';

const PASSES = 3;
const LOOKUPS = 2000;
const INSERTS = 200;
const CREATE = {
  varve: `CREATE TABLE reading (id bigint PRIMARY KEY, at timestamp, station int, kind text,
    value double precision, amount numeric(10,2), note text)`,
  sqlite: `CREATE TABLE reading (id INTEGER PRIMARY KEY, at TEXT, station INTEGER, kind TEXT,
    value REAL, amount NUMERIC, note TEXT)`,
};
const INSERT = 'INSERT INTO reading VALUES ($1, $2, $3, $4, $5, $6, $7)';

/** Milliseconds that `work` takes. */
async function msOf(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const microseconds = (ms, count) => ({ unit: 'us', values: [(ms / count) * 1e3] });

/** Number and checksum of some rows. */
async function answerOf(rows) {
  const text = JSON.stringify(rows, (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const checksum = Array.from(new Uint8Array(hash, 0, 8), (byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  return { rows: rows.length, checksum: checksum.join('') };
}

globalThis.cases = {
  async load({ dialect, rows }) {
    const { db } = window;
    await db.exec(CREATE[dialect]);
    await db.exec('CREATE TABLE station (id integer PRIMARY KEY, name text, region text)');
    await db.bulkLoad('station', stations());
    const chunks = readings(rows);
    const ms = await msOf(() => db.bulkLoad('reading', chunks));
    return { 'bulk load': { unit: 'rows/s', values: [(rows / ms) * 1e3] } };
  },

  async queries({ dialect }) {
    const figures = {};
    for (const [name, sql] of queriesOf(dialect)) {
      const { rows } = await window.db.query(sql);
      const values = [];
      for (let pass = 0; pass < PASSES; pass += 1) {
        values.push(await msOf(() => window.db.query(sql)));
      }
      figures[name] = { unit: 'ms', values, answer: await answerOf(rows) };
    }
    return figures;
  },

  async lookups({ rows }) {
    // Steps of a large prime: no two keys are near each other, and every engine has the same ones.
    const ids = Array.from({ length: LOOKUPS }, (_, at) => ((at * 736_879) % rows) + 1);
    const ms = await msOf(async () => {
      for (const id of ids) {
        const found = await window.db.query('SELECT * FROM reading WHERE id = $1', [id]);
        if (Number(found.rows[0]?.id) !== id) throw new Error(`no reading ${id}`);
      }
    });
    return { 'lookup by primary key': microseconds(ms, LOOKUPS) };
  },

  async inserts({ rows }) {
    const ms = await msOf(async () => {
      for (let id = rows + 1; id <= rows + INSERTS; id += 1) {
        const values = [id, '2026-01-01 00:00:00', id % 200, 'wind', 3.5, '12.25', null];
        await window.db.query(INSERT, values);
      }
    });
    return { 'insert of one row': microseconds(ms, INSERTS) };
  },
};
