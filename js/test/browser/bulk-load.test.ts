import { describe, expect, test } from 'vitest';
import { create, freshDataDir, places, rejection } from './stores.js';

const TABLE =
  'CREATE TABLE t (id int PRIMARY KEY, big bigint, x double precision, name text, ok boolean, day date, at timestamptz)';

describe.for(places)('%s', (place) => {
  test('typed arrays and arrays become rows, at once and for good', async () => {
    const dataDir = freshDataDir(place);
    const db = await create(dataDir);
    await db.exec('CREATE TABLE n (id bigint PRIMARY KEY, x double precision NOT NULL, t text)');
    const rows = 200_000;
    const seen: number[] = [];
    const ids = BigInt64Array.from({ length: rows }, (_, i) => BigInt(i));
    const columns = {
      id: ids,
      x: Float64Array.from(ids, Number),
      t: Array.from({ length: rows }, (_, i) => (i % 3 === 0 ? null : `text ${i % 100}`)),
    };
    const report = await db.bulkLoad('n', columns, { onProgress: (at) => seen.push(at.rows) });
    expect(report).toMatchObject({ rowCount: rows, maxRowId: BigInt(rows - 1) });
    expect(report.bytes).toBeGreaterThan(1000);
    expect(report.rowsPerSecond).toBeGreaterThan(1000);
    expect(seen).toEqual([65_536, 131_072, 196_608, 200_000]);
    // What was given is still the caller's.
    expect(ids.length).toBe(rows);
    const { rows: found } = await db.query(
      'SELECT count(*) AS n, sum(x) AS s, count(t) AS t FROM n',
    );
    expect(found).toEqual([{ n: rows, s: (rows * (rows - 1)) / 2, t: 133_333 }]);
    const one = await db.query('SELECT x, t FROM n WHERE id = $1', [77_777]);
    expect(one.rows).toEqual([{ x: 77_777, t: 'text 77' }]);
  });

  test('a load that fails leaves nothing', async () => {
    const db = await create(freshDataDir(place));
    await db.exec(TABLE);
    await db.exec("INSERT INTO t (id, name) VALUES (7, 'before')");
    const ids = Int32Array.from({ length: 100_000 }, (_, i) => 100_000 - i);
    const twice = await rejection(db.bulkLoad('T', { id: ids }));
    expect(twice).toMatchObject({ code: '23505', detail: 'Key (id)=(7) already exists.' });
    const cases = [
      [{ id: [1, 2.5] }, '22003', 'id'],
      [{ id: [1, null] }, '23502', 'id'],
      [{ id: ['x'] }, '22P02', 'id'],
      [{ id: [1], name: [2] }, '42804', 'name'],
      [{ id: [1, 2], name: ['a'] }, 'invalid_argument', 'name'],
      [{ id: [1], nothing: ['a'] }, '42703', undefined],
    ] as const;
    for (const [columns, code, column] of cases) {
      const error = await rejection(db.bulkLoad('t', columns));
      expect(error).toMatchObject(column === undefined ? { code } : { code, column });
    }
    const { rows } = await db.query('SELECT id, name FROM t');
    expect(rows).toEqual([{ id: 7, name: 'before' }]);
  });
});

test('every type, with NULL', async () => {
  const db = await create();
  await db.exec(TABLE);
  const at = new Date('2013-01-31T10:11:12.345Z');
  await db.bulkLoad('t', {
    id: [1, 2],
    big: [2n ** 62n, null],
    x: [null, 0.5],
    name: ['\u{e9}\u{1f600}', null],
    ok: [true, null],
    day: [undefined, '2013-01-31'],
    at: [at, null],
  });
  const { rows } = await db.query('SELECT * FROM t ORDER BY id', [], { rowMode: 'array' });
  expect(rows).toEqual([
    [1, 2n ** 62n, null, '\u{e9}\u{1f600}', true, null, at],
    [2, null, 0.5, null, null, new Date('2013-01-31'), null],
  ]);
});

test('batches come from anywhere, ids from the store', async () => {
  const db = await create();
  await db.exec('CREATE TABLE t (id int PRIMARY KEY, name text)');
  async function* batches() {
    for (let i = 0; i < 3; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      yield { name: [`a${i}`, `b${i}`] };
    }
  }
  const options = { autoId: true, batchRows: 1 };
  const report = await db.bulkLoad('t', batches(), options);
  expect(report).toMatchObject({ rowCount: 6, maxRowId: 6n });
  await db.bulkLoad('t', [{ name: ['last'] }], { autoId: true });
  const { rows } = await db.query('SELECT id, name FROM t WHERE id >= 6 ORDER BY id');
  expect(rows).toEqual([
    { id: 6, name: 'b2' },
    { id: 7, name: 'last' },
  ]);
  expect(await db.bulkLoad('t', [])).toMatchObject({ rowCount: 0, maxRowId: null });
});

test('a load can be stopped, by its signal and by its source', async () => {
  const db = await create();
  await db.exec('CREATE TABLE t (id int PRIMARY KEY)');
  const stop = new AbortController();
  function* endless() {
    for (let i = 0; ; i += 1) {
      if (i === 3) stop.abort();
      yield { id: Int32Array.of(i) };
    }
  }
  const stopped = await rejection(db.bulkLoad('t', endless(), { signal: stop.signal }));
  expect(stopped).toMatchObject({ code: '57014' });
  function* broken() {
    yield { id: [1] };
    throw new Error('no more');
  }
  await expect(db.bulkLoad('t', broken())).rejects.toThrow('no more');
  expect((await db.query('SELECT count(*) AS n FROM t')).rows).toEqual([{ n: 0 }]);
});
