import type { Notice, VarveDB, VarveError } from 'varvedb';
import { expect, test } from 'vitest';
import { create, freshDataDir, places, rejection } from './stores.js';

// Z24: what the Rust tests call is called here from a page.

/** What the native build makes of it: see tests/sql/functions/zstd.slt. */
const FRAME = '28b52ffd24052900007661727665940f4d5a';

/** Rows of a table that asks for zstd, in runs that stay. */
async function compressed(db: VarveDB, notices: Notice[]): Promise<string> {
  const onNotice = (notice: Notice) => notices.push(notice);
  await db.query('CREATE TABLE notes (id int PRIMARY KEY, note text COMPRESSION zstd(9))', [], {
    onNotice,
  });
  await db.query(
    "INSERT INTO notes SELECT n, 'note ' || md5((n / 3)::text) FROM generate_series(1, 3000) n",
  );
  await db.query('CHECKPOINT');
  await db.query('COMPRESS notes');
  const { rows } = await db.query<{ encodings: string }>(
    "SELECT encodings FROM varve_storage WHERE table_name = 'notes' AND column_name = 'note'",
  );
  const sums = 'SELECT count(*)::int AS n, count(DISTINCT note)::int AS notes FROM notes';
  expect((await db.query(sums)).rows).toEqual([{ n: 3000, notes: 1001 }]);
  return rows[0]?.encodings ?? '';
}

for (const place of places) {
  test(`frames are those of the native build, and come back: ${place}`, async () => {
    const db = await create(freshDataDir(place));
    const frame = "SELECT encode(zstd_compress('varve'), 'hex') AS frame";
    expect((await db.query(frame)).rows).toEqual([{ frame: FRAME }]);
    const back =
      'SELECT zstd_decompress(zstd_compress($1::text, 19, NULL, true), true, NULL, true) AS text';
    const text = 'layer '.repeat(50_000);
    expect((await db.query(back, [text])).rows).toEqual([{ text }]);
  });

  test(`a table that asks for zstd gets it: ${place}`, async () => {
    const db = await create(freshDataDir(place));
    const notices: Notice[] = [];
    expect(await compressed(db, notices)).toMatch(/zstd$/);
    expect(notices).toEqual([]);
  });
}

test('where it cannot be had, rows wait for it and functions say so', async () => {
  const zstdWasm = '/nowhere/varve_zstd_bg.wasm';
  const db = await create(freshDataDir('idb'), { zstdWasm });
  const refused = (await rejection(db.query("SELECT zstd_compress('a')"))) as VarveError;
  expect(refused).toMatchObject({ code: '58030', kind: 'unavailable' });
  expect(refused.message).toContain(zstdWasm);
  expect(refused.hint).toContain('option `zstdWasm`');
  const notices: Notice[] = [];
  expect(await compressed(db, notices)).toMatch(/zstd due$/);
  expect(notices[0]?.message).toContain('no encoder of zstd');
  const frame = `SELECT zstd_decompress('\\x${FRAME}', true) AS text`;
  expect((await db.query(frame)).rows).toEqual([{ text: 'varve' }]);
});
