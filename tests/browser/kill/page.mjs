import { VarveDB } from './index.js';
import { KEYS, work } from './workload.mjs';

const after = { flush: 'CHECKPOINT', compaction: 'VACUUM' };

let db;

/** Opens the database; answers the numbers of the transactions that are there. */
globalThis.openStore = async () => {
  db = await VarveDB.create('idb://killed');
  await db.exec(`
    CREATE TABLE IF NOT EXISTS journal (token BIGINT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS data (key BIGINT PRIMARY KEY, token BIGINT NOT NULL, label TEXT NOT NULL);
  `);
  const { rows } = await db.query('SELECT token FROM journal ORDER BY token');
  return rows.map((row) => Number(row.token));
};

/** What the data is, in the groups of the workload, and what is wrong with the store. */
globalThis.look = async () => {
  const { rows } = await db.query(
    `SELECT key / ${KEYS} AS owner, key % 2 AS parity, token, count(*) AS rows
     FROM data GROUP BY key / ${KEYS}, key % 2, token`,
  );
  const groups = rows.map((row) => [`${row.owner} ${row.parity} ${row.token}`, Number(row.rows)]);
  const wrong = await db.query("SELECT count(*) AS rows FROM data WHERE label <> 'row ' || key");
  const { problems } = await db.check();
  return { groups, wrong: Number(wrong.rows[0].rows), problems };
};

/** A transaction whose rows are there, as a whole, though it is not in the journal. */
globalThis.journal = (token) => db.query('INSERT INTO journal VALUES ($1)', [token]);

const line = (token, i) => {
  const key = token * KEYS + i;
  return `${key},${token},row ${key}`;
};

async function write(token) {
  const { kind, other, count, durability } = work(token);
  if (kind === 'load') {
    await say('load', token);
    const csv = Array.from({ length: count }, (_, i) => line(token, i)).join('\n');
    await db.copyFrom('data', `${csv}\n`);
  }
  await db.transaction(async (tx) => {
    await tx.query(`SET LOCAL varve.durability = ${durability}`);
    await tx.query('INSERT INTO journal VALUES ($1)', [token]);
    const between = `key >= ${other * KEYS} AND key < ${(other + 1) * KEYS}`;
    if (kind === 'insert') {
      const rows = Array.from({ length: count }, (_, i) => {
        const key = token * KEYS + i;
        return `(${key}, ${token}, 'row ${key}')`;
      });
      await tx.query(`INSERT INTO data VALUES ${rows.join(', ')}`);
    } else if (kind === 'update') {
      await tx.query(`UPDATE data SET token = ${token} WHERE ${between} AND key % 2 = 0`);
    } else if (kind === 'delete') {
      await tx.query(`DELETE FROM data WHERE ${between} AND key % 2 = 1`);
    }
    await say('commit', token);
  });
  await say('done', token);
}

/** Writes transactions until the end, or until one fails. */
globalThis.writeForEver = async (first) => {
  for (let token = first; ; token += 1) {
    try {
      await write(token);
      const { after: next } = work(token);
      if (next) {
        await say(next, token);
        await db.exec(after[next]);
      }
    } catch (error) {
      await say(`error ${error.code}: ${error.message}`, token);
      return;
    }
  }
};

globalThis.isLoaded = true;
