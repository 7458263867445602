import { VarveDB } from './index.js';

let db;

globalThis.openFull = async () => {
  db = await VarveDB.create('idb://full');
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
    ({ code, hint }) => ({ code, hint }),
  );

globalThis.count = async (table) => {
  const { rows } = await db.query(`SELECT count(*)::int AS rows FROM ${table}`);
  return rows[0].rows;
};

/** Inserts in ever smaller steps until not one row fits; how many there are, and why. */
globalThis.fill = async () => {
  let rows = 0;
  let refused;
  for (const step of [4000, 200, 10, 1]) {
    for (;;) {
      // Hexadecimal digits take half a byte each.
      refused = await refusal(
        `INSERT INTO t
         SELECT i, (SELECT string_agg(md5((i * 16 + j)::text), '') FROM generate_series(1, 16) j)
         FROM generate_series(${rows}::bigint, ${rows + step - 1}) i`,
      );
      if (refused) break;
      rows += step;
    }
  }
  return { rows, refused };
};

globalThis.isLoaded = true;
