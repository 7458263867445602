// What every app does, and must not wait for the second part: a table, rows written and read, a transaction, a reopen.

const STORE = 'idb://basics';

export async function run(VarveDB) {
  let db = await VarveDB.create(STORE);
  await db.exec('CREATE TABLE note (id int PRIMARY KEY, body text, done boolean DEFAULT false)');
  await db.query('BEGIN');
  await db.query("INSERT INTO note VALUES (1, 'one'), (2, 'two')");
  await db.query('ROLLBACK');
  await db.transaction(async (tx) => {
    await tx.query('INSERT INTO note (id, body) VALUES ($1, $2)', [3, 'three']);
    await tx.query('UPDATE note SET done = true WHERE id = $1', [3]);
  });
  await db.query('DELETE FROM note WHERE id = $1', [4]);
  await db.query('SELECT * FROM note WHERE id = $1', [3]);
  await db.query('SELECT id, body FROM note ORDER BY id LIMIT 10');
  await db.query('SELECT 1 AS one');
  await db.close();
  db = await VarveDB.create(STORE);
  await db.query('SELECT count(*) FROM note');
  await db.close();
}
