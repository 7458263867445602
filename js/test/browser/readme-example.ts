import { VarveDB } from 'varvedb';

const db = await VarveDB.create('idb://app');
await db.exec('CREATE TABLE IF NOT EXISTS item (id int PRIMARY KEY, name text, price float8)');

await db.transaction(async (tx) => {
  await tx.sql`INSERT INTO item VALUES (${1}, ${'tea'}, ${4.5})`;
  await tx.query('INSERT INTO item VALUES ($1, $2, $3)', [2, 'salt', 0.8]);
});

const { rows } = await db.query<{ name: string }>('SELECT name FROM item ORDER BY price');
console.log(rows); // [{ name: 'salt' }, { name: 'tea' }]
await db.close();
