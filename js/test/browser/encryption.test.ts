import { VarveDB, type VarveDBOptions } from 'varvedb';
import { expect, test } from 'vitest';
import { create, freshDataDir, rejection } from './stores.js';

const SECRET = 'nobody shall find this';

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** What a store holds, read behind the engine's back: bytes as text by key. */
async function stored(dataDir: string): Promise<Map<string, string>> {
  const db = await done(indexedDB.open(dataDir.replace('idb://', 'varvedb:')));
  const [name = ''] = db.objectStoreNames;
  const store = db.transaction(name).objectStore(name);
  const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
  db.close();
  const text = (bytes: ArrayBuffer | Uint8Array) =>
    new TextDecoder('latin1').decode(bytes as Uint8Array<ArrayBuffer>);
  return new Map(keys.map((key, index) => [text(key as ArrayBuffer), text(values[index])]));
}

function aesKey(extractable = false, length = 256): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'AES-GCM', length }, extractable, [
    'encrypt',
    'decrypt',
  ]);
}

async function filled(options: VarveDBOptions): Promise<string> {
  const dataDir = freshDataDir('idb');
  const db = await VarveDB.create(dataDir, options);
  await db.exec(`
    CREATE TABLE hidden_name (id int PRIMARY KEY, secret text);
    INSERT INTO hidden_name SELECT n, '${SECRET} ' || n FROM generate_series(1, 2000) AS n`);
  await db.exec('CHECKPOINT');
  await db.exec(`INSERT INTO hidden_name VALUES (0, '${SECRET} in the log')`);
  await db.close();
  return dataDir;
}

const count = async (db: VarveDB) =>
  (await db.query('SELECT count(*)::int AS n FROM hidden_name')).rows;

test('nothing of an encrypted database is stored in clear', async () => {
  const words = [SECRET, 'hidden_name', 'VSTO'];
  const found = async (options: VarveDBOptions) => {
    const all = [...(await stored(await filled(options))).values()].join('\n');
    return words.map((word) => all.includes(word));
  };
  expect(await found({})).toEqual([true, true, true]);
  expect(await found({ encryption: { passphrase: 'tea' } })).toEqual([false, false, false]);
  expect(await found({ encryption: { key: await aesKey() } })).toEqual([false, false, false]);
});

test('a passphrase opens its database again, and every other key is refused', async () => {
  const dataDir = await filled({ encryption: { passphrase: 'tea 🍵' } });
  const before = await stored(dataDir);
  const refused = async (options: VarveDBOptions) =>
    rejection(VarveDB.create(dataDir, options)) as Promise<{ code: string; hint: string }>;
  const cases: [VarveDBOptions, string][] = [
    [{}, '28000'],
    [{ encryption: { passphrase: 'tea' } }, '28P01'],
    [{ encryption: { key: await aesKey() } }, '28000'],
  ];
  for (const [options, code] of cases) {
    expect(await refused(options)).toMatchObject({ code, hint: expect.any(String) });
  }
  expect(await rejection(VarveDB.repair(dataDir))).toMatchObject({ code: '28000' });
  expect(await stored(dataDir)).toEqual(before);
  const encryption = { passphrase: 'tea 🍵' };
  expect(await VarveDB.repair(dataDir, { encryption })).toMatchObject({ tables: [] });
  const db = await create(dataDir, { encryption });
  expect(await count(db)).toEqual([{ n: 2001 }]);
  expect(await db.check()).toMatchObject({ problems: [] });
  const plain = await filled({});
  expect(await rejection(VarveDB.create(plain, { encryption }))).toMatchObject({ code: '55000' });
});

test('the key changes, also from a passphrase to a key that cannot be read, and no value does', async () => {
  const dataDir = await filled({ encryption: { passphrase: 'tea' } });
  const before = await stored(dataDir);
  const db = await VarveDB.create(dataDir, { encryption: { passphrase: 'tea' } });
  const key = await aesKey();
  await db.changeEncryptionKey({ key });
  await db.close();
  const after = await stored(dataDir);
  const changed = [...before].filter(([at, value]) => after.get(at) !== value);
  // Opening takes the epoch.
  expect(changed.map(([at]) => at).sort()).toEqual(['Encryption', 'a', 'encryption']);
  const old = { encryption: { passphrase: 'tea' } };
  expect(await rejection(VarveDB.create(dataDir, old))).toMatchObject({ code: '28000' });
  const other = { encryption: { key: await aesKey() } };
  expect(await rejection(VarveDB.create(dataDir, other))).toMatchObject({ code: '28P01' });
  expect(await count(await create(dataDir, { encryption: { key } }))).toEqual([{ n: 2001 }]);
});

test('a value that was moved to another key is damage', async () => {
  const encryption = { passphrase: 'tea' };
  const dataDir = await filled({ encryption });
  const raw = await done(indexedDB.open(dataDir.replace('idb://', 'varvedb:')));
  const [name = ''] = raw.objectStoreNames;
  const store = raw.transaction(name, 'readwrite').objectStore(name);
  const keys = (await done(store.getAllKeys())) as ArrayBuffer[];
  const first = (kind: string) =>
    keys.find((key) => new Uint8Array(key)[0] === kind.charCodeAt(0)) ?? kind;
  await done(store.put(await done(store.get(first('h'))), first('r')));
  raw.close();
  const db = await create(dataDir, { encryption });
  const read = db.query('SELECT sum(length(secret)) FROM hidden_name');
  expect(await rejection(read)).toMatchObject({ code: 'XX001', failure: 'corrupt' });
  expect((await db.check()).problems.length).toBeGreaterThan(0);
});

test('what cannot be a key, or has nothing to encrypt, is refused', async () => {
  const dataDir = freshDataDir('idb');
  const given: unknown[] = [
    'tea',
    {},
    { passphrase: '' },
    { passphrase: 'tea', key: await aesKey() },
    { key: 'tea' },
    { key: await aesKey(false, 128) },
    { passphrase: 7 },
  ];
  for (const encryption of given) {
    const options = { encryption } as VarveDBOptions;
    expect(await rejection(VarveDB.create(dataDir, options))).toMatchObject({
      code: 'invalid_argument',
    });
  }
  const inMemory = VarveDB.create('memory://', { encryption: { passphrase: 'tea' } });
  expect(await rejection(inMemory)).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('stored nowhere'),
  });
  const plain = await create(dataDir);
  expect(await rejection(plain.changeEncryptionKey({ passphrase: 'tea' }))).toMatchObject({
    code: '55000',
  });
});

test('bulk loads, imports and large sorts go on as in any database', async () => {
  const db = await create(freshDataDir('idb'), {
    encryption: { passphrase: 'tea' },
    memoryLimit: 32 << 20,
  });
  await db.exec('CREATE TABLE t (id int PRIMARY KEY, v float8)');
  const rows = 100_000;
  const ids = Int32Array.from({ length: rows }, (_, n) => n);
  await db.bulkLoad('t', { id: ids, v: Float64Array.from(ids, (n) => n * 1.5) });
  await db.copyFrom('t', '-1,2.5\n-2,3.5\n');
  await db.transaction(async (tx) => {
    await tx.query('UPDATE t SET v = 0 WHERE id < $1', [1000]);
  });
  const { rows: sums } = await db.query('SELECT count(*)::int AS n, sum(v) AS v FROM t');
  expect(sums).toEqual([{ n: rows + 2, v: 7_499_925_000 - 749_250 }]);
});
