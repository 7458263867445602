import { VarveDB } from './index.js';

let db;

/** The events, in turn. */
globalThis.told = [];

globalThis.openFull = async () => {
  db = await VarveDB.create('idb://full');
  for (const event of ['storage:full', 'storage:available'])
    db.on(event, ({ usage, quota }) => globalThis.told.push({ event, usage, quota }));
  await db.exec(`
    CREATE TABLE IF NOT EXISTS t (id bigint PRIMARY KEY, b text);
    CREATE TABLE IF NOT EXISTS other (a bigint);
  `);
};

globalThis.run = (sql) => db.exec(sql).then(() => undefined);

/** With which code and hint it fails; nothing where it does not. */
globalThis.refusal = (sql) =>
  db.exec(sql).then(
    () => undefined,
    ({ code, hint, usage, quota }) => ({ code, hint, usage, quota }),
  );

globalThis.count = async (table) => {
  const { rows } = await db.query(`SELECT count(*)::int AS rows FROM ${table}`);
  return rows[0].rows;
};

function insert(first, count) {
  // Hexadecimal digits take half a byte each.
  return refusal(
    `INSERT INTO t
     SELECT i, (SELECT string_agg(md5((i * 16 + j)::text), '') FROM generate_series(1, 16) j)
     FROM generate_series(${first}::bigint, ${first + count - 1}) i`,
  );
}

/** Inserts until it is refused three times; how many rows there are, and why no more. */
globalThis.fill = async () => {
  let rows = 0;
  let refused;
  for (const step of [4000, 400, 400]) {
    // What was too much at once, or for a merge beside it, keeps rows out for a second.
    if (refused) await new Promise((resolve) => setTimeout(resolve, 1100));
    for (;;) {
      refused = await insert(rows, step);
      if (refused) break;
      rows += step;
    }
  }
  return { rows, refused };
};

globalThis.isLoaded = true;
