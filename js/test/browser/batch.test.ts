import { describe, expect, test } from 'vitest';
import { create, freshDataDir, places, rejection } from './stores.js';

async function withTable(dataDir?: string) {
  const db = await create(dataDir);
  await db.exec('CREATE TABLE t (x int PRIMARY KEY)');
  const all = async () =>
    (await db.query<{ x: number }>('SELECT x FROM t ORDER BY x')).rows.map(({ x }) => x);
  return { db, all };
}

describe.for(places)('%s', (place) => {
  test('a batch happens as a whole and counts its rows', async () => {
    const { db, all } = await withTable(freshDataDir(place));
    const batch = ['INSERT INTO t VALUES (1), (2)', 'DELETE FROM t WHERE x = 1', 'SELECT 1'];
    expect(await db.executeBatch(batch)).toBe(3);
    expect(await all()).toEqual([2]);
    expect(await db.executeBatch([])).toBe(0);
  });

  test('an error undoes it and names its statement', async () => {
    const { db, all } = await withTable(freshDataDir(place));
    const batch = ['INSERT INTO t VALUES (1)', 'SELECT nothing'];
    const error = await rejection(db.executeBatch(batch));
    expect(error).toMatchObject({ code: '42703', statementIndex: 1, query: 'SELECT nothing' });
    expect(await all()).toEqual([]);
  });
});

test('in a transaction an error undoes the batch only', async () => {
  const { db, all } = await withTable();
  await db.transaction(async (tx) => {
    expect(await tx.executeBatch(['INSERT INTO t VALUES (1)'])).toBe(1);
    const twice = ['INSERT INTO t VALUES (2)', 'INSERT INTO t VALUES (1)'];
    const error = await rejection(tx.executeBatch(twice));
    expect(error).toMatchObject({ code: '23505', statementIndex: 1 });
    await tx.query('INSERT INTO t VALUES (3)');
  });
  expect(await all()).toEqual([1, 3]);
});

test('a batch neither begins nor ends a transaction', async () => {
  const { db } = await withTable();
  const error = await rejection(db.executeBatch(['SELECT 1', 'COMMIT']));
  expect(error).toMatchObject({ code: '25001', statementIndex: 1 });
});

test('durability is an option, and a setting of a session', async () => {
  const db = await create({ durability: 'async' });
  const now = async () => (await db.query('SHOW varve.durability')).rows;
  expect(await now()).toEqual([{ 'varve.durability': 'async' }]);
  await db.exec('SET varve.durability = strict');
  expect(await now()).toEqual([{ 'varve.durability': 'strict' }]);
  const loose = { durability: 'loose' as 'strict' };
  expect(await rejection(create(loose))).toMatchObject({ code: 'invalid_argument' });
});
