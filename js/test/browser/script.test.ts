import type { Notice } from 'varvedb';
import { describe, expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import { create, freshDataDir, places, rejection } from './stores.js';

declare module 'vitest/browser' {
  interface BrowserCommands {
    corpus: (name: string) => Promise<string | undefined>;
  }
}

test('a script of psql', async () => {
  const db = await create();
  const notices: Notice[] = [];
  const script = `-- it's a comment;
\\set ON_ERROR_STOP on
CREATE DATABASE shop;
\\c shop;
CREATE TABLE item (id int PRIMARY KEY, name text); /* ; /* '; */ */
COPY item (id, name) FROM stdin;
1\ttea;
2\t\\N
\\.

INSERT INTO item VALUES (3, 'a;''b'), (4, $x$;'$x$), (5, E'\\';');
\\echo done
SELECT count(*) FROM item
\\q
SELECT broken`;
  const result = await db.execScript(script, { onNotice: (notice) => notices.push(notice) });
  expect(result).toEqual({
    statements: 5,
    copied: 2,
    ignored: ['\\set ON_ERROR_STOP on', '\\c shop'],
  });
  expect(notices.map(({ message }) => message)).toContain('done');
  const { rows } = await db.query('SELECT name FROM item ORDER BY id');
  expect(rows.map(({ name }) => name)).toEqual(['tea;', null, "a;'b", ";'", "';"]);
});

test('what is wrong in a script', async () => {
  const db = await create();
  expect(await rejection(db.execScript('SELECT 1;\n\\ir other.sql'))).toMatchObject({
    code: '0A000',
    message: expect.stringContaining('line 2'),
  });
  expect(await rejection(db.execScript('CREATE TABLE t (a int); SELECT nothing;'))).toMatchObject({
    code: '42703',
  });
  const copy = 'CREATE TABLE t (a int);\nCOPY t FROM stdin;\nx\n\\.\n';
  expect(await rejection(db.execScript(copy))).toMatchObject({ code: '22P02' });
  expect((await db.query('SELECT * FROM t')).rows).toEqual([]);
});

describe.for(places)('%s', (place) => {
  const cases = [
    [
      'Chinook_PostgreSql',
      ['\\c chinook'],
      { track: 3503, playlist_track: 8715, invoice_line: 2240 },
    ],
    ['northwind', [], { orders: 830, order_details: 2155, customers: 91 }],
  ] as const;
  test.for(cases)('%s loads as it is', async ([name, ignored, counts], { skip }) => {
    const script = await commands.corpus(name);
    if (script === undefined) return skip('../shared/corpora is not there');
    const db = await create(freshDataDir(place));
    expect((await db.execScript(script)).ignored).toEqual(ignored);
    for (const [table, count] of Object.entries(counts)) {
      const { rows } = await db.query(`SELECT count(*) AS n FROM ${table}`);
      expect(rows, table).toEqual([{ n: count }]);
    }
  });
});
