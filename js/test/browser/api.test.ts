import type { Notice } from 'varvedb';
import { describe, expect, test } from 'vitest';
import { create, freshDataDir, places, rejection } from './stores.js';

describe.for(places)('%s', (place) => {
  test('statements give rows, fields and counts', async () => {
    const db = await create(freshDataDir(place));
    const created = await db.query('CREATE TABLE item (id int PRIMARY KEY, name text)');
    expect(created).toEqual({ rows: [], fields: [], affectedRows: 0, command: 'CREATE' });
    const inserted = await db.query("INSERT INTO item VALUES (1, 'tea'), (2, 'salt'), (3, NULL)");
    expect(inserted).toMatchObject({ affectedRows: 3, rowCount: 3, command: 'INSERT', rows: [] });
    expect(await db.query('SELECT id, name FROM item ORDER BY id')).toEqual({
      rows: [
        { id: 1, name: 'tea' },
        { id: 2, name: 'salt' },
        { id: 3, name: null },
      ],
      fields: [
        { name: 'id', dataTypeID: 23 },
        { name: 'name', dataTypeID: 25 },
      ],
      affectedRows: 0,
      rowCount: 3,
      command: 'SELECT',
    });
    const updated = await db.query('UPDATE item SET name = $1 WHERE id >= $2', ['oil', 2]);
    expect(updated).toMatchObject({ affectedRows: 2, command: 'UPDATE' });
    const deleted = await db.query('DELETE FROM item WHERE name = $1', ['oil']);
    expect(deleted).toMatchObject({ affectedRows: 2, command: 'DELETE' });
    const { rows } = await db.query<{ n: number }>('SELECT count(*) AS n FROM item');
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('stats count statements, commits and hits', async () => {
    const db = await create(freshDataDir(place), { parsers: { 20: String, 701: String } });
    await db.exec('CREATE TABLE item (id int PRIMARY KEY)');
    const before = await db.stats();
    await db.query('INSERT INTO item VALUES (1)');
    await db.query('INSERT INTO item VALUES (2)');
    const after = await db.stats();
    const grown = (name: string) => (after.statistics[name] ?? 0) - (before.statistics[name] ?? 0);
    expect(grown('commits')).toBe(2);
    expect(grown('execute_us')).toBeGreaterThan(0);
    expect(after.caches.plan.hits).toBeGreaterThan(before.caches.plan.hits);
    expect(after.caches.page.capacity).toBeGreaterThan(0);
  });

  test('a template makes parameters of its values', async () => {
    const db = await create(freshDataDir(place));
    await db.exec('CREATE TABLE item (id int PRIMARY KEY, name text)');
    const name = "'); DROP TABLE item; --";
    await db.sql`INSERT INTO item VALUES (${1}, ${name})`;
    expect((await db.sql`SELECT name FROM item WHERE id = ${1}`).rows).toEqual([{ name }]);
  });

  test('a script gives one result for each statement, and is all or nothing', async () => {
    const db = await create(freshDataDir(place));
    const results = await db.exec(
      'CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2); SELECT x FROM a',
    );
    expect(results.map(({ command, rows }) => [command, rows])).toEqual([
      ['CREATE', []],
      ['INSERT', []],
      ['SELECT', [{ x: 1 }, { x: 2 }]],
    ]);
    await rejection(db.exec('INSERT INTO a VALUES (3); SELECT nothing FROM a'));
    expect((await db.query('SELECT x FROM a WHERE x = 3')).rows).toEqual([]);
    expect(await db.exec('')).toEqual([]);
  });

  test('rows as arrays keep columns of one name', async () => {
    const db = await create(freshDataDir(place));
    const sql = 'SELECT 1 AS a, 2 AS a';
    expect((await db.query(sql)).rows).toEqual([{ a: 2 }]);
    expect((await db.query(sql, [], { rowMode: 'array' })).rows).toEqual([[1, 2]]);
  });

  test('a hundred thousand rows', async () => {
    const db = await create(freshDataDir(place));
    await db.exec('CREATE TABLE big (id int PRIMARY KEY, kind text, word text, score float8)');
    const lines = Array.from(
      { length: 100_000 },
      (_, id) => `${id},kind ${id % 7},w${id},${id / 8}`,
    );
    await db.copyFrom('big', `${lines.join('\n')}\n`);
    const { rows, rowCount } = await db.query('SELECT * FROM big ORDER BY id');
    expect(rowCount).toBe(100_000);
    for (const id of [0, 1023, 1024, 77_777, 99_999]) {
      expect(rows[id]).toEqual({ id, kind: `kind ${id % 7}`, word: `w${id}`, score: id / 8 });
    }
    const groups = await db.query(
      'SELECT kind, count(*) AS n FROM big GROUP BY kind ORDER BY kind',
    );
    expect(groups.rows[0]).toEqual({ kind: 'kind 0', n: 14_286 });
  });
});

test('notices are told', async () => {
  const db = await create();
  const notices: Notice[] = [];
  const onNotice = (notice: Notice) => notices.push(notice);
  await db.query('DROP TABLE IF EXISTS missing', [], { onNotice });
  expect(notices).toMatchObject([
    { severity: 'NOTICE', message: expect.stringMatching('missing') },
  ]);
});

test('parsers of the database and of the call', async () => {
  const text = (value: string) => `<${value}>`;
  const db = await create('memory://', { parsers: { 23: text, 16: text } });
  const parsers = { 16: () => 'own' };
  const { rows } = await db.query('SELECT 1 AS i, true AS b, NULL::int AS n', [], { parsers });
  expect(rows).toEqual([{ i: '<1>', b: 'own', n: null }]);
});

test('statements run in the order in which they were given', async () => {
  const db = await create();
  const calls = [
    db.exec('CREATE TABLE t (x int)'),
    db.query('INSERT INTO t VALUES (1)'),
    db.transaction((tx) => tx.query('INSERT INTO t VALUES (2)')),
    db.copyFrom('t', '3\n'),
    db.query('SELECT x FROM t ORDER BY x'),
  ] as const;
  await Promise.all(calls);
  expect((await db.query('SELECT x FROM t ORDER BY x')).rows).toEqual(
    [1, 2, 3].map((x) => ({ x })),
  );
});
