import type { CopyProgress } from 'varvedb';
import { describe, expect, test } from 'vitest';
import { create, freshDataDir, places, rejection } from './stores.js';

const TABLE = 'CREATE TABLE city (id int PRIMARY KEY, name text, since date)';

function csv(rows: number): string {
  return Array.from({ length: rows }, (_, id) => `${id},"city, ${id}",2013-01-31\n`).join('');
}

describe.for(places)('%s', (place) => {
  test('a file is read with its header, and progress is told to its end', async () => {
    const db = await create(freshDataDir(place));
    await db.exec(TABLE);
    const file = new Blob(['id,name,since\n', csv(50_000)]);
    const seen: CopyProgress[] = [];
    const options = { header: true, onProgress: (progress: CopyProgress) => seen.push(progress) };
    const result = await db.copyFrom('City', file, options);
    expect(result).toEqual({ rowCount: 50_000, bytes: file.size });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)).toMatchObject({ bytes: file.size, totalBytes: file.size });
    for (const [i, { bytes, rows }] of seen.entries()) {
      expect(bytes).toBeGreaterThan(seen[i - 1]?.bytes ?? 0);
      expect(rows).toBeGreaterThanOrEqual(seen[i - 1]?.rows ?? 0);
    }
    const { rows } = await db.query('SELECT count(*) AS n, min(since) AS since FROM city');
    expect(rows).toEqual([{ n: 50_000, since: new Date('2013-01-31') }]);
  });

  test('a wrong line leaves the table unchanged, and the error says where it is', async () => {
    const db = await create(freshDataDir(place));
    await db.exec(TABLE);
    await db.query("INSERT INTO city VALUES (-1, 'before', NULL)");
    const cases = [
      [`${csv(30_000)}x,bad,2013-01-31\n`, '22P02', /city, line 30001, column id: "x"/],
      [`${csv(2)}7,short\n`, '22P04', /city, line 3/],
      [`${csv(2)}1,again,\n`, '23505', /city/],
    ] as const;
    for (const [text, code, where] of cases) {
      const error = await rejection(db.copyFrom('city', text));
      expect(error).toMatchObject({ code, where: expect.stringMatching(where) });
      const { rows } = await db.query('SELECT name FROM city');
      expect(rows).toEqual([{ name: 'before' }]);
    }
  });
});

test('columns, delimiter and NULL', async () => {
  const db = await create();
  await db.exec(TABLE);
  const options = { columns: ['name', 'id'], delimiter: ';', null: "n'a" };
  await db.copyFrom('"city"', "a;1\nn'a;2\n;3\n", options);
  const { rows } = await db.query('SELECT * FROM city ORDER BY id', [], { rowMode: 'array' });
  expect(rows).toEqual([
    [1, 'a', null],
    [2, null, null],
    [3, '', null],
  ]);
});

test('a stream is read as fast as the engine takes it, in bytes or text', async () => {
  const db = await create();
  await db.exec('CREATE TABLE s (x int, t text)');
  let pulled = 0;
  const stream = new ReadableStream<Uint8Array | string>(
    {
      pull(controller) {
        pulled += 1;
        // The text is cut within a character of two bytes and within a line.
        if (pulled === 1) controller.enqueue(new Uint8Array([0x31, 0x2c, 0xc3]));
        else if (pulled === 2) controller.enqueue(new Uint8Array([0xa9, 0x0a, 0x32]));
        else if (pulled === 3) controller.enqueue(',\u{1F600}\n');
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  expect(await db.copyFrom('s', stream)).toEqual({ rowCount: 2, bytes: 12 });
  expect((await db.query('SELECT t FROM s ORDER BY x')).rows).toEqual([
    { t: '\u{e9}' },
    { t: '\u{1F600}' },
  ]);
});

test('a source that fails undoes the import and is what the call rejects with', async () => {
  const db = await create();
  await db.exec(TABLE);
  const reason = new Error('unplugged');
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (controller.desiredSize === 1) controller.enqueue(new TextEncoder().encode(csv(10)));
      controller.error(reason);
    },
  });
  expect(await rejection(db.copyFrom('city', stream))).toBe(reason);
  expect((await db.query('SELECT id FROM city')).rows).toEqual([]);
});

test('an import is canceled by its signal, also while the source is silent', async () => {
  const db = await create();
  await db.exec(TABLE);
  let wasCanceled = false;
  const stream = new ReadableStream<string>({
    start: (controller) => controller.enqueue(csv(2000)),
    cancel: () => {
      wasCanceled = true;
    },
  });
  const controller = new AbortController();
  const { signal } = controller;
  const onProgress = () => setTimeout(() => controller.abort(), 10);
  const error = await rejection(db.copyFrom('city', stream, { signal, onProgress }));
  expect(error).toMatchObject({ code: '57014', kind: 'canceled' });
  expect(wasCanceled).toBe(true);
  expect((await db.query('SELECT id FROM city')).rows).toEqual([]);
});

test('statements are answered during an import', async () => {
  const db = await create();
  await db.exec(TABLE);
  const rows: unknown[] = [];
  const onProgress = () => {
    rows.push(db.query('SELECT count(*) AS n FROM city'));
  };
  await db.copyFrom('city', csv(20_000), { onProgress });
  const counts = (await Promise.all(rows)) as { rows: { n: number }[] }[];
  expect(counts[0]?.rows).toEqual([{ n: 0 }]);
});

test('a missing table, and a call that is not one', async () => {
  const db = await create();
  expect(await rejection(db.copyFrom('missing', '1\n'))).toMatchObject({ code: '42P01' });
  expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});
