import { DemoPage } from './demo/demo-page';
import { expect, test } from './demo/fixtures';
import { expectRightAnswers, readWeather } from './demo/weather';

test('weather: imported, asked, and still there after a reload and a kill', async ({
  demo: url,
  profile,
}, info) => {
  const weather = readWeather();
  expect(weather).toHaveLength(26_115);

  await test.step('import and ask', async () => {
    const demo = new DemoPage(await profile.open());
    await demo.page.goto(url);
    await demo.importWeather();
    await expectRightAnswers(demo, weather);
  });

  await test.step('reload and ask', async () => {
    const [page] = profile.context.pages();
    if (!page) throw new Error('the tab is gone');
    await page.reload();
    await expectRightAnswers(new DemoPage(page), weather);
  });

  await test.step('kill the browser, open the profile again and ask', async () => {
    await profile.kill();
    const demo = new DemoPage(await profile.open());
    await demo.page.goto(url);
    await expectRightAnswers(demo, weather);
    const path = info.outputPath('after-kill.png');
    await demo.page.screenshot({ path, fullPage: true });
    await info.attach('after the kill', { path, contentType: 'image/png' });
  });
});

test('an error is shown at its place, and the editor keeps the focus', async ({
  demo: url,
  profile,
}) => {
  const demo = new DemoPage(await profile.open());
  await demo.page.goto(url);
  await demo.importWeather();
  const cases = [
    {
      sql: 'SELECT origin,\n  tempp\nFROM weather',
      place: 'Line 2, column 3:',
      code: '42703',
      mark: 'tempp',
    },
    {
      sql: 'SELECT origin\nFORM weather',
      place: 'Line 2, column 6:',
      code: '42601',
      mark: 'weather',
    },
    // Characters that take two units of UTF-16 before the place.
    {
      sql: "SELECT '😀😀', tempp FROM weather",
      place: 'Line 1, column 16:',
      code: '42703',
      mark: 'tempp',
    },
  ];
  for (const { sql, place, code, mark } of cases) {
    await demo.run(sql);
    await expect(demo.problem).toContainText(place);
    await expect(demo.problem).toContainText(`(${code})`);
    await expect(demo.page.locator('.cm-lintRange-error')).toHaveText(mark);
    await expect(demo.editor).toBeFocused();
  }
  await demo.page.keyboard.type(' ');
  await expect(demo.page.locator('.cm-lintRange-error')).toHaveCount(0);
});

test('a second tab is told that the store is open in the first, and can take it over', async ({
  demo: url,
  profile,
}) => {
  const first = new DemoPage(await profile.open());
  await first.page.goto(url);
  await first.importWeather();
  const second = new DemoPage(await profile.context.newPage());
  await second.page.goto(url);
  const alert = second.page.getByRole('alert');
  await expect(alert).toContainText('open in another tab');

  await test.step('while the first has it, another try ends with the same words', async () => {
    await second.tryAgain();
    await expect(alert).toContainText('open in another tab');
  });

  await first.page.close();
  await test.step('another try takes it once the browser has given up the first tab', async () => {
    await expect(async () => {
      await second.tryAgain();
      await expect(second.editor).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: 60_000 });
  });
  expect(await second.query('SELECT count(*) FROM weather')).toEqual([['26115']]);
});

test('a click while another try is under way is not lost: the button takes none', async ({
  demo: url,
  profile,
}) => {
  const first = new DemoPage(await profile.open());
  await first.page.goto(url);
  await expect(first.importButton()).toBeVisible();
  const second = new DemoPage(await profile.context.newPage());
  await second.page.goto(url);
  const retry = second.retryButton();
  await expect(retry).toBeEnabled();
  const isEnabledMeanwhile = await retry.evaluate((button: HTMLButtonElement) => {
    button.click();
    return button.getAttribute('aria-disabled') !== 'true';
  });
  expect(isEnabledMeanwhile).toBe(false);
  await expect(retry).toBeEnabled();
  await expect(second.page.getByRole('alert')).toContainText('open in another tab');
});

test('an engine that does not load is said so, and another try can succeed', async ({
  demo: url,
  profile,
}) => {
  const demo = new DemoPage(await profile.open());
  await profile.context.route('**/*.wasm', (route) => route.fulfill({ status: 404 }));
  await demo.page.goto(url);
  await expect(demo.page.getByRole('alert')).toContainText('wasm_load_failed');
  await profile.context.unroute('**/*.wasm');
  await demo.tryAgain();
  await expect(demo.importButton()).toBeVisible();
});
