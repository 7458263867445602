import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { build } from 'vite';
import { DemoPage } from './demo/demo-page';
import { DEMO, expect, serveDemo, test } from './demo/fixtures';

/** Needs the second part of the engine. */
const RARE = "DO $$ BEGIN RAISE NOTICE 'there'; END $$";

/** Resolves when the service worker has all files, and answers for the page. */
async function kept(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** How the worker of the database got the second part, and what it gets when it asks again as a stub of the engine does. */
async function secondPart(page: Page): Promise<{ isKept: boolean; status: number }> {
  const [worker] = page.workers();
  if (!worker) throw new Error('the database has no worker');
  return worker.evaluate(() => {
    const found = performance
      .getEntriesByType('resource')
      .find(({ name }) => name.includes('varve_rest_bg')) as PerformanceResourceTiming;
    const request = new XMLHttpRequest();
    request.open('GET', found.name, false);
    request.send();
    return { isKept: found.workerStart > 0, status: request.status };
  });
}

test('after the first visit the demo needs no server', async ({ profile }) => {
  const server = await serveDemo();
  const demo = new DemoPage(await profile.open());
  await demo.page.goto(server.url);
  await demo.importWeather();
  await kept(demo.page);

  await server.close();
  await profile.context.setOffline(true);
  await demo.page.reload();
  expect(await demo.query('SELECT count(*) FROM weather')).toEqual([['26115']]);
  await demo.run(RARE);
  await expect(demo.problem).toBeEmpty();
  expect(await secondPart(demo.page)).toEqual({ isKept: true, status: 200 });
});

test('the data set that comes with the demo is kept too', async ({ profile }) => {
  const server = await serveDemo();
  const demo = new DemoPage(await profile.open());
  await demo.page.goto(server.url);
  await kept(demo.page);
  await server.close();
  await profile.context.setOffline(true);
  await demo.page.reload();
  await demo.importWeather();
  expect(await demo.query('SELECT count(*) FROM weather')).toEqual([['26115']]);
});

test('a tab shows one build until it is closed, and the next one after that', async ({
  profile,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'varve-next-'));
  const first = await serveDemo();
  const page = await profile.open();
  const demo = new DemoPage(await profile.context.newPage());
  await demo.page.goto(first.url);
  await demo.importWeather();
  await kept(demo.page);

  await first.close();
  await build({
    root: DEMO,
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true, assetsDir: 'next' },
  });
  const next = await serveDemo(folder, first.url);
  try {
    await demo.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
    });
    const isWaiting = () =>
      demo.page.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null);
    await expect.poll(isWaiting).toBe(true);
    await demo.page.reload();
    await demo.run(RARE);
    await expect(demo.problem).toBeEmpty();
    expect(await secondPart(demo.page)).toEqual({ isKept: true, status: 200 });
    await expect(demo.page.locator('script[src*="assets/"]')).toHaveCount(1);

    await demo.page.close();
    await expect(async () => {
      // A page of the old build keeps the next one waiting.
      await page.goto('about:blank');
      await page.goto(next.url);
      await expect(page.locator('script[src*="next/"]')).toHaveCount(1, { timeout: 1000 });
    }).toPass();
    expect(await new DemoPage(page).query('SELECT count(*) FROM weather')).toEqual([['26115']]);
    await expect.poll(() => page.evaluate(async () => (await caches.keys()).length)).toBe(1);
  } finally {
    await next.close();
    rmSync(folder, { recursive: true });
  }
});
