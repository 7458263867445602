import { VarveDB } from 'varvedb';
import { expect, test } from 'vitest';
import { create, freshDataDir, rejection } from './stores.js';

/** Changes every stored value whose key begins with this byte, behind the engine's back. */
async function damage(dataDir: string, kind: string): Promise<void> {
  const opening = indexedDB.open(dataDir.replace('idb://', 'varvedb:'));
  const db = await done(opening);
  const [name] = db.objectStoreNames;
  const store = db.transaction(name ?? '', 'readwrite').objectStore(name ?? '');
  const keys = (await done(store.getAllKeys())) as ArrayBuffer[];
  for (const key of keys) {
    if (new Uint8Array(key)[0] !== kind.charCodeAt(0)) continue;
    const value = new Uint8Array((await done(store.get(key))) as Uint8Array);
    value[value.length - 1] = (value[value.length - 1] ?? 0) ^ 1;
    await done(store.put(value, key));
  }
  db.close();
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function filled(): Promise<string> {
  const dataDir = freshDataDir('idb');
  const db = await VarveDB.create(dataDir);
  await db.exec(
    "CREATE TABLE tea (id int PRIMARY KEY, name text); INSERT INTO tea VALUES (1, 'a')",
  );
  await db.exec('CHECKPOINT');
  expect(await db.check()).toMatchObject({ rows: 1, problems: [] });
  await db.close();
  return dataDir;
}

test('a sound database needs no repair', async () => {
  const dataDir = await filled();
  expect(await VarveDB.repair(dataDir)).toEqual({
    restored: [],
    firstCommitLost: null,
    commitsKeptAfter: 0,
    tables: [],
  });
});

test('a database that does not open says corrupt, and a repair opens it', async () => {
  const dataDir = await filled();
  await damage(dataDir, 'b');
  expect(await rejection(VarveDB.create(dataDir))).toMatchObject({
    code: 'corrupt',
    failure: 'corrupt',
  });
  expect(await VarveDB.repair(dataDir)).toMatchObject({ restored: ['the manifest'] });
  const db = await create(dataDir);
  expect((await db.query('SELECT name FROM tea')).rows).toEqual([{ name: 'a' }]);
});

test('damaged rows are told by table, and a repair tells what is lost', async () => {
  const dataDir = await filled();
  await damage(dataDir, 'r');
  const damaged = await VarveDB.create(dataDir);
  const { problems } = await damaged.check();
  expect(problems).toMatchObject([{ code: 'XX001', failure: 'corrupt', table: 'tea' }]);
  await damaged.close();
  const { tables } = await VarveDB.repair(dataDir);
  expect(tables).toMatchObject([{ table: 'tea', rowsKept: 0, rowsLost: 1 }]);
  const db = await create(dataDir);
  expect(await db.check()).toMatchObject({ problems: [] });
  expect((await db.query('SELECT name FROM tea')).rows).toEqual([]);
});

test('a database that must exist and does not is evicted', async () => {
  const error = await rejection(VarveDB.create(freshDataDir('idb'), { mustExist: true }));
  expect(error).toMatchObject({ code: 'evicted', kind: 'unavailable', failure: 'evicted' });
  const db = await create(await filled(), { mustExist: true });
  expect((await db.query('SELECT name FROM tea')).rows).toEqual([{ name: 'a' }]);
});
