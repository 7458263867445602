import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { expect, test } from './demo/fixtures';
import { serve } from './kv/serve.mjs';

const QUOTA_BYTES = 12 << 20;
// Chromium answers with a quota of 10 GiB more than what is used, whatever it grants.
const SPACE = { usage: expect.any(Number), quota: expect.any(Number) };
const FULL = { code: '53100', hint: expect.stringContaining('VACUUM'), ...SPACE };

interface Refused {
  code: string;
  hint: string | undefined;
  usage: number | undefined;
  quota: number | undefined;
}

declare global {
  function openFull(): Promise<void>;
  function fill(): Promise<{ rows: number; refused: Refused }>;
  function refusal(sql: string): Promise<Refused | undefined>;
  function count(table: string): Promise<number>;
  function run(sql: string): Promise<void>;
  var told: { event: string; usage: number; quota: number }[];
}

/** A page of the origin, whose IndexedDB may take so much. */
async function openPage(page: Page, origin: string): Promise<Page> {
  await page.goto(`${origin}/page.html`);
  await page.waitForFunction(() => globalThis.isLoaded);
  // Chromium asks for what is left before the first commit of an origin.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: QUOTA_BYTES });
  await page.evaluate(() => openFull());
  return page;
}

test('a full quota loses nothing, and what frees space works', async ({ profile }) => {
  // It takes twenty seconds where nothing else runs, and two minutes beside two busy processes.
  test.setTimeout(480_000);
  const folders = [join(import.meta.dirname, 'quota'), join(import.meta.dirname, '../../js/dist')];
  const server = await serve(folders);
  const origin = `http://127.0.0.1:${server.address().port}`;
  let page = await openPage(await profile.open(), origin);
  const frees = [
    ['DELETE FROM t WHERE id % 10 > 0', 'VACUUM', 'DELETE FROM t', 'VACUUM'],
    ['TRUNCATE t', 'CHECKPOINT'],
    ['DROP TABLE t', 'VACUUM', 'CREATE TABLE t (id bigint PRIMARY KEY, b text)'],
  ];
  for (const [round, sqls] of frees.entries()) {
    const { rows, refused } = await page.evaluate(() => fill());
    expect(refused).toEqual(FULL);
    // Chromium counts what was deleted until its own files are compacted.
    expect(rows).toBeGreaterThan(round === 0 ? 10_000 : 2000);
    const told = await page.evaluate(() => globalThis.told);
    expect(told.at(-1)).toEqual({ event: 'storage:full', ...SPACE });
    // What came before it in its transaction is rolled back.
    const whole = `BEGIN; INSERT INTO other VALUES (-1);
      INSERT INTO t SELECT i, md5(i::text) FROM generate_series(-200000, -1) i; COMMIT`;
    expect(await page.evaluate((text) => refusal(text), whole)).toEqual(FULL);
    await page.evaluate(() => refusal('ROLLBACK'));
    if (round !== 1) {
      await page.close();
      page = await openPage(await profile.context.newPage(), origin);
    }
    expect(await page.evaluate(() => count('t'))).toBe(rows);
    expect(await page.evaluate(() => count('other'))).toBe(round);
    for (const text of sqls) await page.evaluate((free) => run(free), text);
    await page.evaluate((number) => run(`INSERT INTO other VALUES (${number})`), round);
    const events = await page.evaluate(() => globalThis.told.map(({ event }) => event));
    if (round === 1) expect(events.at(-1)).toBe('storage:available');
  }
  await page.close();
  page = await openPage(await profile.context.newPage(), origin);
  expect(await page.evaluate(() => count('other'))).toBe(frees.length);
  server.close();
});
