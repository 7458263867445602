import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { expect, test } from './demo/fixtures';
import { killTabs, type Profile } from './demo/profile';
import { apply, work } from './kill/workload.mjs';
import { serve } from './kv/serve.mjs';

/** B2, H26: tabs and browsers are killed while they write. Half of them hit the process of the tab, half the whole browser. */
const { VARVE_KILLS, VARVEDB_TESTS } = process.env;
const KILLS = Number(VARVE_KILLS ?? (VARVEDB_TESTS === 'full' ? 100 : 8));
const PHASES = ['commit', 'load', 'flush', 'compaction'] as const;
/** Each store is written to until so many kills have hit it. */
const KILLS_PER_STORE = 20;
/** A page that has written nothing for so long has stopped. */
const SILENCE_MS_MAX = 60_000;

interface Seen {
  groups: [string, number][];
  wrong: number;
  problems: unknown[];
}

declare global {
  function openStore(): Promise<number[]>;
  function look(): Promise<Seen>;
  function journal(token: number): Promise<unknown>;
  function writeForEver(first: number): Promise<void>;
  var isLoaded: boolean;
}

/** What the page said so far. */
class Log {
  readonly done = new Set<number>();
  asked: number | undefined;
  loading: number | undefined;
  next = 1;
  /** Why the page stopped writing before it was killed. */
  error: string | undefined;
  #waiting: { phase: string; resolve: () => void } | undefined;
  #heard = 'nothing';
  #heardAt = Date.now();

  hear(what: string, token: number): void {
    this.#heard = `${what} ${token}`;
    this.#heardAt = Date.now();
    if (what.startsWith('error')) {
      this.error = `${what} in transaction ${token}`;
      this.#waiting?.resolve();
      return;
    }
    this.next = token + 1;
    if (what === 'commit') this.asked = token;
    if (what === 'load') this.loading = token;
    if (what === 'done') {
      this.done.add(token);
      this.asked = undefined;
      this.loading = undefined;
    }
    if (what === this.#waiting?.phase) this.#waiting.resolve();
  }

  /** Waits for the page to say so; fails if it says nothing any more. */
  until(phase: string): Promise<void> {
    this.#heardAt = Date.now();
    return new Promise((resolve, reject) => {
      const watch = setInterval(() => {
        if (Date.now() - this.#heardAt < SILENCE_MS_MAX) return;
        clearInterval(watch);
        reject(new Error(`waiting for ${phase}; the last thing heard was ${this.#heard}`));
      }, 1000);
      const done = () => {
        clearInterval(watch);
        resolve();
      };
      this.#waiting = { phase, resolve: done };
    });
  }
}

async function openPage(profile: Profile, page: Page, url: string, log: Log): Promise<number[]> {
  await page.exposeBinding('say', (_, what: string, token: number) => log.hear(what, token));
  await page.goto(url);
  await page.waitForFunction(() => globalThis.isLoaded);
  expect(profile.context.pages()).toHaveLength(1);
  return page.evaluate(() => openStore());
}

/** Every transaction that was answered is there, and at most the one that was asked for; each as a whole. */
async function check(page: Page, found: number[], log: Log): Promise<void> {
  expect(log.error).toBeUndefined();
  const extra = found.filter((token) => !log.done.has(token));
  const lost = [...log.done].filter((token) => !found.includes(token));
  expect({ lost, extra: extra.filter((token) => token !== log.asked) }).toEqual({
    lost: [],
    extra: [],
  });
  const expected = new Map<string, number>();
  for (const token of found) apply(expected, token);
  const seen = await page.evaluate(() => look());
  expect(seen.problems).toEqual([]);
  expect(seen.wrong).toBe(0);
  const { loading } = log;
  const isUnnamed = loading !== undefined && !found.includes(loading);
  if (isUnnamed && seen.groups.some(([name]) => name.startsWith(`${loading} `))) {
    // A load is journalled by the transaction after it.
    expect(work(loading).kind).toBe('load');
    apply(expected, loading);
    await page.evaluate((token) => journal(token), loading);
    log.done.add(loading);
  }
  const sorted = (groups: Iterable<[string, number]>) => [...groups].sort();
  expect(sorted(seen.groups)).toEqual(sorted(expected));
  for (const token of found) log.done.add(token);
  log.asked = undefined;
  log.loading = undefined;
}

test(`${KILLS} kills lose no commit`, async ({ profile }) => {
  test.setTimeout(60_000 + KILLS * 20_000);
  const folders = [join(import.meta.dirname, 'kill'), join(import.meta.dirname, '../../js/dist')];
  const servers = [];
  let log = new Log();
  let url = '';
  let page = await profile.open();
  for (let kill = 0; kill < KILLS; kill += 1) {
    if (kill % KILLS_PER_STORE === 0) {
      // Another port is another origin, with a store of its own.
      const server = await serve(folders);
      servers.push(server);
      url = `http://127.0.0.1:${server.address().port}/page.html`;
      log = new Log();
    }
    const phase = PHASES[(kill >> 1) % PHASES.length] ?? 'commit';
    const found = await openPage(profile, page, url, log);
    await check(page, found, log);
    const reached = log.until(phase);
    const writing = page.evaluate((first) => writeForEver(first), log.next);
    await Promise.race([reached, writing]);
    // The kill ends it.
    writing.catch(() => {});
    const longest = phase === 'load' ? 400 : 40;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
    if (kill % 2 === 0) {
      await killTabs(profile.context);
      page = await profile.context.newPage();
    } else {
      await profile.kill();
      page = await profile.open();
    }
  }
  await check(page, await openPage(profile, page, url, log), log);
  for (const server of servers) server.close();
});
