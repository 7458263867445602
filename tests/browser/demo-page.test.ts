import type { Page } from 'playwright/test';
import { expectContrast } from './demo/contrast';
import { DemoPage } from './demo/demo-page';
import { expect, test } from './demo/fixtures';
import { mainThreadTasksMs } from './demo/main-thread';
import { writeOrdersCsv } from './demo/orders';
import { WEATHER_FILE } from './demo/weather';

const DOM_ROWS_MAX = 200;
const LONG_TASK_MS = 50;

/** Runs in the page: scrolls through all rows, by small steps and by leaps. */
async function scrollThrough(): Promise<{ domRowsMost: number; last: string }> {
  const viewport = document.querySelector('.grid-viewport');
  if (!viewport) throw new Error('no result');
  let domRowsMost = 0;
  const scrollTo = async (top: number) => {
    viewport.scrollTop = top;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    domRowsMost = Math.max(domRowsMost, document.querySelectorAll('tr').length);
  };
  for (let step = 0; step < 120; step += 1) await scrollTo(step * 90);
  for (let step = 0; step <= 100; step += 1) await scrollTo((viewport.scrollHeight * step) / 100);
  await scrollTo(viewport.scrollHeight);
  const last = document.querySelector('.grid-viewport tbody tr:last-child')?.textContent ?? '';
  return { domRowsMost, last };
}

test('100,000 rows scroll without a long task and with few rows in the page', async ({
  demo: url,
  profile,
}, info) => {
  const path = info.outputPath('orders.csv');
  await writeOrdersCsv(path, 100_000);
  const demo = new DemoPage(await profile.open());
  await demo.page.goto(url);
  await demo.importCsv(path, 120_000);
  await demo.query('SELECT * FROM orders ORDER BY id');
  await expect(demo.outcome).toContainText('100,000 rows');
  await expect(demo.viewport.getByRole('table')).toHaveAttribute('aria-rowcount', '100001');
  const tasksMs = await mainThreadTasksMs(demo.page, async () => {
    const { domRowsMost, last } = await demo.page.evaluate(scrollThrough);
    expect(domRowsMost).toBeLessThanOrEqual(DOM_ROWS_MAX);
    expect(last).toContain('100,000');
  });
  expect(tasksMs.length).toBeGreaterThan(200);
  expect(tasksMs.filter((ms) => ms > LONG_TASK_MS)).toEqual([]);
});

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const excess = () => document.documentElement.scrollWidth - window.innerWidth;
  expect(await page.evaluate(excess)).toBeLessThanOrEqual(0);
}

for (const [name, viewport] of [
  ['360 pixels', { width: 360, height: 740 }],
  ['1,280 pixels', { width: 1280, height: 800 }],
] as const) {
  test(`every state fits ${name} and can be read in light and dark`, async ({
    demo: url,
    profile,
  }, info) => {
    const demo = new DemoPage(await profile.open());
    const { page } = demo;
    await page.setViewportSize(viewport);
    const check = async (state: string) => {
      await expectNoSidewaysScroll(page);
      await expectContrast(page);
      await page.screenshot({ path: info.outputPath(`${state}.png`), fullPage: true });
    };
    await page.goto(url);
    await expect(demo.importButton()).toBeVisible();
    await check('welcome');
    await demo.importWeather();
    await demo.query('SELECT * FROM weather');
    await check('result');
    await demo.run('SELECT nothing_like_it FROM weather');
    await expect(demo.problem).toContainText('42703');
    await check('error');
    const csv = { name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,x\n2\n') };
    await page.locator('#csv-file').setInputFiles(csv);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(dialog.getByRole('alert')).not.toBeEmpty();
    await check('dialog');

    const second = new DemoPage(await profile.context.newPage());
    await second.page.setViewportSize(viewport);
    await second.page.goto(url);
    await expect(second.page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await expectNoSidewaysScroll(second.page);
    await expectContrast(second.page);
  });
}

/** Runs in the page: what has the focus, and whether that can be seen. */
function focused(): { name: string; isSeen: boolean } {
  const at = document.activeElement;
  if (!at || at === document.body) return { name: '', isSeen: true };
  const marked = at.closest('.editor') ?? at;
  const style = getComputedStyle(marked);
  const isSeen = style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2;
  return { name: at.getAttribute('aria-label') ?? at.id ?? at.textContent ?? '', isSeen };
}

async function tabTo(page: Page, isReached: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    const { name, isSeen } = await page.evaluate(focused);
    expect(isSeen, `the focus on ${name} is seen`).toBe(true);
    if (await isReached()) return;
  }
  throw new Error('not reached by the keyboard');
}

test('import, query and scrolling by keyboard alone', async ({ demo: url, profile }) => {
  const demo = new DemoPage(await profile.open());
  const { page } = demo;
  // As a plain file server sends it; the other tests get it as content in gzip, which the browser undoes.
  await page.route('**/weather.csv.gz', (route) =>
    route.fulfill({ path: WEATHER_FILE, contentType: 'application/gzip' }),
  );
  const hasFocus = (selector: string) => () =>
    page.evaluate((each) => document.activeElement?.matches(each) ?? false, selector);
  await page.goto(url);
  await expect(demo.importButton()).toBeVisible();
  await tabTo(page, hasFocus('.weather button'));
  await page.keyboard.press('Enter');
  await expect(demo.editor).toBeFocused({ timeout: 60_000 });
  await demo.settled();

  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('SELECT * FROM weather');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(demo.outcome).toContainText('26,115 rows');
  await expect(demo.editor).toBeFocused();

  await tabTo(page, hasFocus('#run'));
  await tabTo(page, hasFocus('.grid-viewport'));
  const firstRow = () => demo.viewport.locator('tbody tr').first().getAttribute('aria-rowindex');
  const before = await firstRow();
  for (const key of ['ArrowDown', 'PageDown', 'PageDown']) await page.keyboard.press(key);
  await expect.poll(firstRow).not.toBe(before);
  await page.keyboard.press('End');
  await expect(demo.viewport.locator('tr[aria-rowindex="26116"]')).toBeVisible();
  await page.keyboard.press('Home');
  await expect(demo.viewport.locator('tr[aria-rowindex="2"]')).toBeVisible();
  await tabTo(page, hasFocus('[data-action="pick-csv"]'));
  await tabTo(page, hasFocus('summary'));
});
