// A store with data, opened again and again: lists, single rows by their keys, one change, as after each reload.

const ROWS = 20_000;

export async function run(VarveDB) {
  let db = await VarveDB.create('idb://reload');
  await db.exec(
    `CREATE TABLE contact (id integer PRIMARY KEY, name text NOT NULL, email text UNIQUE, born date, score double precision,
                           tags jsonb, active boolean NOT NULL DEFAULT true, changed timestamptz DEFAULT now());
     CREATE TABLE visit (id bigint PRIMARY KEY, contact integer NOT NULL, at timestamp NOT NULL, paid numeric(10, 2));
     CREATE INDEX visit_contact ON visit (contact)`,
  );
  const index = Array.from({ length: ROWS }, (_, i) => i);
  await db.bulkLoad('contact', {
    id: Int32Array.from(index),
    name: index.map((i) => `Name ${i % 700}`),
    email: index.map((i) => `user${i}@example.org`),
    born: index.map((i) => new Date(Date.UTC(1960, 0, 1 + (i % 20_000)))),
    score: Float64Array.from(index, (i) => (i % 1000) / 8),
    tags: index.map((i) => (i % 5 ? null : `{"group": ${i % 3}, "list": ["a", "b"]}`)),
  });
  await db.bulkLoad('visit', {
    id: BigInt64Array.from(index, (i) => BigInt(i * 3)),
    contact: Int32Array.from(index, (i) => (i * 7) % ROWS),
    at: index.map((i) => new Date(1.7e12 + i * 6e5)),
    paid: index.map((i) => (i % 9973) / 100),
  });
  for (let reload = 0; reload < 3; reload++) {
    await db.close();
    db = await VarveDB.create('idb://reload');
    await db.query('SELECT id, name, email FROM contact ORDER BY id LIMIT 50');
    const { rows } = await db.query('SELECT * FROM contact WHERE id = $1', [4711 + reload]);
    await db.query('SELECT * FROM contact WHERE email = $1', [rows[0].email]);
    await db.query('SELECT * FROM visit WHERE id = $1', [300]);
    await db.query(
      'SELECT v.*, c.name FROM visit v JOIN contact c ON c.id = v.contact WHERE v.contact = $1',
      [7],
    );
    await db.query('SELECT count(*) FROM contact WHERE active');
    await db.query('UPDATE contact SET score = score + 1, changed = now() WHERE id = $1', [reload]);
    await db.query('INSERT INTO visit VALUES ($1, $2, now(), $3)', [1_000_000 + reload, 7, 9.5]);
    await db.query('DELETE FROM visit WHERE id = $1', [reload * 3]);
  }
  await db.close();
}
