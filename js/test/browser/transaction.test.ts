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
  test('commits when the callback resolves, and gives what it gave', async () => {
    const { db, all } = await withTable(freshDataDir(place));
    const given = await db.transaction(async (tx) => {
      await tx.query('INSERT INTO t VALUES ($1)', [1]);
      await tx.sql`INSERT INTO t VALUES (${2})`;
      await tx.exec('INSERT INTO t VALUES (3); INSERT INTO t VALUES (4)');
      return (await tx.query('SELECT x FROM t')).rows.length;
    });
    expect(given).toBe(4);
    expect(await all()).toEqual([1, 2, 3, 4]);
  });

  test('rolls back when it rejects, and rejects with the same error', async () => {
    const { db, all } = await withTable(freshDataDir(place));
    const reason = new Error('no');
    const run = db.transaction(async (tx) => {
      await tx.query('INSERT INTO t VALUES (1)');
      throw reason;
    });
    expect(await rejection(run)).toBe(reason);
    expect(await all()).toEqual([]);
  });

  test('rolls back on request', async () => {
    const { db, all } = await withTable(freshDataDir(place));
    const closed = await db.transaction(async (tx) => {
      await tx.query('INSERT INTO t VALUES (1)');
      await tx.rollback();
      expect(await rejection(tx.query('SELECT 1'))).toMatchObject({ code: 'closed' });
      return tx.closed;
    });
    expect(closed).toBe(true);
    expect(await all()).toEqual([]);
  });
});

test('a failed statement that the callback hides makes the transaction reject', async () => {
  const { db, all } = await withTable();
  const run = db.transaction(async (tx) => {
    await tx.query('INSERT INTO t VALUES (1)');
    await tx.query('SELECT nothing').catch(() => undefined);
    expect(await rejection(tx.query('SELECT 1'))).toMatchObject({ code: '25P02' });
  });
  expect(await rejection(run)).toMatchObject({ code: '25P02' });
  expect(await all()).toEqual([]);
});

test('calls from outside wait until the transaction has ended', async () => {
  const { db, all } = await withTable();
  let proceed = () => {};
  const paused = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const transaction = db.transaction(async (tx) => {
    await tx.query('INSERT INTO t VALUES (1)');
    await paused;
    await tx.query('INSERT INTO t VALUES (2)');
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const outside = all();
  const second = db.transaction((tx) => tx.query('INSERT INTO t VALUES (3)'));
  proceed();
  expect(await outside).toEqual([1, 2]);
  await Promise.all([transaction, second]);
  expect(await all()).toEqual([1, 2, 3]);
});

test('a call on the database inside the callback is refused at once', async () => {
  const { db, all } = await withTable();
  const calls: (() => Promise<unknown>)[] = [
    () => db.query('SELECT 1'),
    () => db.sql`SELECT 1`,
    () => db.exec('SELECT 1'),
    () => db.transaction(() => 1),
    () => db.copyFrom('t', '1\n'),
  ];
  for (const call of calls) {
    expect(await rejection(db.transaction(call))).toMatchObject({ code: '25001' });
    const later = db.transaction(async (tx) => {
      await Promise.all([tx.query('INSERT INTO t VALUES (1)')]);
      await call();
    });
    expect(await rejection(later)).toMatchObject({ code: '25001' });
  }
  expect(await all()).toEqual([]);
});

test('a call from outside that is woken inside the callback waits, as the transaction goes on', async () => {
  const { db, all } = await withTable();
  let wake = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const outside = woken.then(() => db.query('INSERT INTO t VALUES (3)'));
  await db.transaction(async (tx) => {
    wake();
    await tx.query('INSERT INTO t VALUES (1)');
    await tx.query('INSERT INTO t VALUES (2)');
  });
  await outside;
  expect(await all()).toEqual([1, 2, 3]);
});

test('right after a transaction has ended, the database answers', async () => {
  const { db, all } = await withTable();
  await db.transaction((tx) => tx.rollback());
  expect(await all()).toEqual([]);
  await db.transaction((tx) => tx.query('INSERT INTO t VALUES (1)'));
  expect(await all()).toEqual([1]);
});
