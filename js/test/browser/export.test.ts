import { VarveDB } from 'varvedb';
import { afterEach, expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import { freshDataDir, places, rejection } from './stores.js';

declare module 'vitest/browser' {
  interface BrowserCommands {
    fixture: (name: string) => Promise<string>;
  }
}

const open: VarveDB[] = [];

function later(db: VarveDB): VarveDB {
  open.push(db);
  return db;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((db) => db.close()));
});

async function filled(dataDir: string): Promise<VarveDB> {
  const db = later(await VarveDB.create(dataDir));
  await db.exec(`CREATE TABLE tea (id int PRIMARY KEY, name text UNIQUE);
    INSERT INTO tea SELECT i, md5(i::text) FROM generate_series(1, 5000) i;
    DELETE FROM tea WHERE id <= 10;`);
  return db;
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: BlobPart[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value.slice());
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

const COUNT = 'SELECT count(*)::int AS n, min(id) AS first FROM tea';

for (const place of places) {
  test(`an export makes the same database in ${place}`, async () => {
    const db = await filled(freshDataDir(place));
    const file = await bytesOf(db.export());
    expect(isSame(await bytesOf(db.export()), file)).toBe(true);
    for (const to of places) {
      const stream = new Blob([file]).stream();
      const copy = later(await VarveDB.import(stream, freshDataDir(to)));
      const { rows } = await copy.query(COUNT);
      expect(rows).toEqual([{ n: 4990, first: 11 }]);
      expect(isSame(await bytesOf(copy.export()), file)).toBe(true);
      expect(await copy.check()).toMatchObject({ problems: [] });
      expect(await (await copy.dumpSql()).text()).toBe(await (await db.dumpSql()).text());
    }
  });
}

// B5
test('a file of the native build has the same export here', async () => {
  const text = await commands.fixture('export.varve');
  const file = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const db = later(await VarveDB.import(file, freshDataDir('idb')));
  expect(isSame(await bytesOf(db.export()), file)).toBe(true);
  const { rows } = await db.query('SELECT count(*)::int AS n FROM tea');
  expect(rows).toEqual([{ n: 198 }]);
});

test('an export is read as it is taken, while statements go on', async () => {
  const db = await filled('memory://');
  const reader = db.export().getReader();
  await reader.read();
  await db.exec("DELETE FROM tea; INSERT INTO tea VALUES (1, 'new'); CHECKPOINT");
  await reader.cancel();
  const begun = db.export();
  await db.query('DELETE FROM tea');
  const copy = later(await VarveDB.import(begun));
  expect((await copy.query(COUNT)).rows).toEqual([{ n: 1, first: 1 }]);
});

test('a later export holds what is new', async () => {
  const db = await filled('memory://');
  let since: Uint8Array | undefined;
  const onContents = (contents: Uint8Array) => {
    since = contents;
  };
  const first = await bytesOf(db.export({ onContents }));
  await db.query("INSERT INTO tea VALUES (1, 'new')");
  const second = await bytesOf(db.export({ since }));
  expect(second.length).toBeLessThan(first.length / 3);
  const copy = later(await VarveDB.import(new Blob([first, second])));
  expect((await copy.query(COUNT)).rows).toEqual([{ n: 4991, first: 1 }]);
  expect(await rejection(VarveDB.import(second))).toMatchObject({ code: '55000' });
});

test('what does not fit, or is damaged, is refused', async () => {
  const dataDir = freshDataDir('idb');
  const db = await filled(dataDir);
  const file = await bytesOf(db.export());
  await db.close();
  expect(await rejection(VarveDB.import(file, dataDir))).toMatchObject({
    code: '55000',
    message: 'the store is not empty',
  });
  const again = later(await VarveDB.create(dataDir));
  expect((await again.query(COUNT)).rows).toEqual([{ n: 4990, first: 11 }]);

  const fresh = freshDataDir('idb');
  const torn = file.slice(0, -1);
  expect(await rejection(VarveDB.import(torn, fresh))).toMatchObject({
    code: 'XX001',
    failure: 'corrupt',
  });
  file[file.length >> 1] = (file[file.length >> 1] ?? 0) ^ 1;
  expect(await rejection(VarveDB.import(file, fresh))).toMatchObject({ code: 'XX001' });
  const empty = later(await VarveDB.create(fresh));
  expect(
    (await empty.query('SELECT * FROM pg_tables WHERE schemaname = $1', ['public'])).rows,
  ).toEqual([]);
});

test("an export and a file under PGlite's names", async () => {
  const db = await filled('memory://');
  const file = await db.dumpDataDir();
  expect(file.type).toBe('application/gzip');
  const copy = later(await VarveDB.create({ loadDataDir: file }));
  expect((await copy.query(COUNT)).rows).toEqual([{ n: 4990, first: 11 }]);
  const plain = await copy.dumpDataDir('none');
  expect(isSame(new Uint8Array(await plain.arrayBuffer()), await bytesOf(db.export()))).toBe(true);
});

test('a dump may have objects or rows only', async () => {
  const db = later(await VarveDB.create());
  await db.exec('CREATE TABLE tea (id int); INSERT INTO tea VALUES (1)');
  const objects = await (await db.dumpSql({ only: 'schema' })).text();
  expect(objects).toContain('CREATE TABLE');
  expect(objects).not.toContain('COPY');
  const rows = await (await db.dumpSql({ only: 'data', inserts: true })).text();
  expect(rows).toContain('INSERT INTO');
  expect(rows).not.toContain('CREATE TABLE');
});

test('a failed export keeps its error', async () => {
  const db = later(await VarveDB.create());
  const since = new Uint8Array([1, 2, 3]);
  expect(await rejection(bytesOf(db.export({ since })))).toMatchObject({ code: '22023' });
  const reading = db.transaction(() => rejection(db.dumpDataDir()));
  expect(await reading).toMatchObject({ code: '25001' });
  await db.close();
  expect(await rejection(db.dumpDataDir())).toMatchObject({ code: 'closed' });
});

test('arguments are checked', async () => {
  const db = later(await VarveDB.create());
  const bad = [
    () => VarveDB.import('file' as never),
    async () => db.export({ since: 'file' as never }),
    () => db.dumpDataDir('zip' as never),
    () => db.dumpSql({ only: 'rows' as never }),
  ];
  for (const call of bad) {
    expect(await rejection(call())).toMatchObject({ code: 'invalid_argument' });
  }
});
