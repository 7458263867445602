import { VarveDB } from 'varvedb';
import { expect, test } from 'vitest';
import { create, freshDataDir, rejection } from './stores.js';

test('calls may be made before it is ready, and keep their order', async () => {
  const db = new VarveDB();
  expect(db).toMatchObject({ ready: false, closed: false });
  const calls = [db.exec('CREATE TABLE t (x int)'), db.query('SELECT x FROM t')] as const;
  expect((await calls[1]).rows).toEqual([]);
  await db.waitReady;
  expect(db).toMatchObject({ ready: true, closed: false });
  await db.close();
  expect(db).toMatchObject({ ready: false, closed: true });
});

test('what is committed is there after a close and a new open', async () => {
  const dataDir = freshDataDir('idb');
  const first = await VarveDB.create(dataDir);
  await first.exec("CREATE TABLE t (x int PRIMARY KEY, y text); INSERT INTO t VALUES (1, 'one')");
  await first.copyFrom('t', '2,two\n');
  await first.close();
  const second = await create({ dataDir, durability: 'strict' });
  expect((await second.query('SELECT * FROM t ORDER BY x')).rows).toEqual([
    { x: 1, y: 'one' },
    { x: 2, y: 'two' },
  ]);
});

test('a second opener gets store_locked until the first one closes', async () => {
  const dataDir = freshDataDir('idb');
  const first = await VarveDB.create(dataDir);
  const locked = { code: 'store_locked', kind: 'unavailable', failure: 'locked' };
  expect(await rejection(VarveDB.create(dataDir))).toMatchObject(locked);
  expect(await rejection(VarveDB.destroy(dataDir))).toMatchObject(locked);
  expect((await first.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  const [second] = await Promise.all([create(dataDir), first.close()]);
  expect((await second.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('without Web Locks the later opener fences the earlier one off', async () => {
  const dataDir = freshDataDir('idb');
  const url = new URL('./unlocked-worker.js', import.meta.url);
  const worker = () => new Worker(url, { type: 'module' });
  const first = await create(dataDir, { worker });
  await first.exec('CREATE TABLE t (x int); INSERT INTO t VALUES (1)');
  const second = await create(dataDir, { worker });
  expect(await rejection(first.exec('INSERT INTO t VALUES (2)'))).toMatchObject({
    code: 'store_locked',
    failure: 'fenced',
  });
  await second.exec('INSERT INTO t VALUES (3)');
  expect((await second.query('SELECT x FROM t ORDER BY x')).rows).toEqual([{ x: 1 }, { x: 3 }]);
});

test('an open tells what it found, also that the store was emptied', async () => {
  const dataDir = freshDataDir('idb');
  const opened = async () => {
    const db = new VarveDB(dataDir);
    expect(db.opened).toBeUndefined();
    await db.waitReady;
    await db.close();
    return db.opened;
  };
  expect(await opened()).toBe('created');
  expect(await opened()).toBe('existing');
  // As the browser does it, behind the back of the package.
  const name = `varvedb:${dataDir.replace('idb://', '')}`;
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = resolve;
    request.onerror = reject;
  });
  expect(await opened()).toBe('evicted');
  expect(await opened()).toBe('existing');
  await VarveDB.destroy(dataDir);
  expect(localStorage.getItem(name)).toBeNull();
  expect(await opened()).toBe('created');
  expect((await create('memory://')).opened).toBe('created');
});

test('destroy deletes the store, and a missing one is no error', async () => {
  const dataDir = freshDataDir('idb');
  const db = await VarveDB.create(dataDir);
  await db.exec('CREATE TABLE t (x int)');
  await db.close();
  await VarveDB.destroy(dataDir.replace('idb://', ''));
  await VarveDB.destroy(dataDir);
  const names = (await indexedDB.databases()).map(({ name }) => name);
  expect(names).not.toContain(dataDir.replace('idb://', 'varvedb:'));
  const again = await create(dataDir);
  expect(await rejection(again.query('SELECT x FROM t'))).toMatchObject({ code: '42P01' });
});

test('a closed database rejects every call, those under way too, and closes twice', async () => {
  const db = await VarveDB.create();
  await db.exec('CREATE TABLE t (x int)');
  const pending = [db.query('SELECT 1'), db.transaction((tx) => tx.query('SELECT 1'))];
  const errors = Promise.all(pending.map(rejection));
  const closing = [db.close(), db.close()];
  const later = [
    db.query('SELECT 1'),
    db.sql`SELECT 1`,
    db.exec('SELECT 1'),
    db.transaction(() => 1),
    db.copyFrom('t', '1\n'),
  ];
  for (const error of [...(await errors), ...(await Promise.all(later.map(rejection)))]) {
    expect(error).toMatchObject({ code: 'closed', kind: 'unavailable' });
  }
  await Promise.all(closing);
});

test('it can be closed before it is open', async () => {
  const dataDir = freshDataDir('idb');
  const db = new VarveDB(dataDir);
  const error = rejection(db.waitReady);
  await db.close();
  expect(await error).toMatchObject({ code: 'closed' });
  await create(dataDir);
});

test('it disposes itself', async () => {
  const db = await VarveDB.create();
  await db[Symbol.asyncDispose]();
  expect(db.closed).toBe(true);
});

test('an address that names no place is refused', async () => {
  for (const dataDir of ['opfs://x', 'app', 'idb://']) {
    expect(await rejection(VarveDB.create(dataDir))).toMatchObject({ code: 'invalid_argument' });
  }
});

const JOB = `
  CREATE TABLE log (job int);
  CREATE PROCEDURE note(job_id int, config jsonb) LANGUAGE sql AS $$ INSERT INTO log VALUES (job_id) $$`;

async function runsOfJob(db: VarveDB): Promise<number | undefined> {
  return (await db.query<{ n: number }>('SELECT count(*)::int AS n FROM log')).rows[0]?.n;
}

test('a job runs in the background', async () => {
  const db = await create(freshDataDir('idb'));
  await db.exec(`${JOB}; SELECT add_job('note', '50 milliseconds', fixed_schedule => false)`);
  await expect.poll(() => runsOfJob(db)).toBeGreaterThan(2);
  await db.query('SELECT delete_job(1000)');
});

test('maintenance runs what is due, and says whether anything is left', async () => {
  const db = await create(freshDataDir('memory'));
  await db.exec(`${JOB}; SELECT add_job('note', '1 day', initial_start => '2100-01-01')`);
  expect(await db.maintenance()).toEqual({ isIdle: true });
  expect(await runsOfJob(db)).toBe(0);
  await db.query('SELECT alter_job(1000, next_start => now())');
  await db.maintenance({ budgetMs: 1000 });
  await expect.poll(() => runsOfJob(db)).toBe(1);
  await expect(async () => db.maintenance({ budgetMs: 0 })).rejects.toThrow('budgetMs');
});
