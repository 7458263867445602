import { writeFileSync } from 'node:fs';
import { DemoPage } from './demo/demo-page';
import { expect, test } from './demo/fixtures';
import { writeOrdersCsv } from './demo/orders';
import { killTabs } from './demo/profile';

test('a tab killed in mid-import leaves the table as before, and it can be imported again', async ({
  demo: url,
  profile,
}, info) => {
  const path = info.outputPath('orders.csv');
  await writeOrdersCsv(path, 100_000);
  const demo = new DemoPage(await profile.open());
  await demo.page.goto(url);
  await demo.importWeather();
  const dialog = await demo.pickCsv(path);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog.locator('.progress-figures')).toHaveText(/^[1-9].* rows/, {
    timeout: 60_000,
  });
  await killTabs(profile.context);

  const again = new DemoPage(await profile.context.newPage());
  await again.page.goto(url);
  expect(await again.query('SELECT count(*) FROM weather')).toEqual([['26115']]);
  const left = await again.query("SELECT 1 FROM varve_tables WHERE table_name = 'orders' LIMIT 1");
  if (left.length > 0) {
    expect(await again.query('SELECT count(*) FROM orders')).toEqual([['0']]);
  }
  await again.importCsv(path, 120_000);
  expect(await again.query('SELECT count(*), max(id) FROM orders')).toEqual([['100000', '100000']]);
});

test('a wrong line is named with its column, and nothing of the file is kept', async ({
  demo: url,
  profile,
}, info) => {
  const path = info.outputPath('Parcels 2024.csv');
  const lines = Array.from({ length: 20_000 }, (_, row) => `${row},${row / 4},2024-02-01`);
  lines[19_000] = 'x,1,2024-02-01';
  writeFileSync(path, `Parcel No,Weight,sent\n${lines.join('\n')}\n`);
  const demo = new DemoPage(await profile.open());
  await demo.page.goto(url);
  const dialog = await demo.pickCsv(path);
  await expect(dialog.getByLabel('Type of parcel_no')).toHaveValue('BIGINT');
  await expect(dialog.getByLabel('Type of weight')).toHaveValue('DOUBLE PRECISION');
  await expect(dialog.getByLabel('Type of sent')).toHaveValue('DATE');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  const alert = dialog.getByRole('alert');
  await expect(alert).toContainText('22P02', { timeout: 60_000 });
  await expect(alert).toContainText('line 19002');
  await expect(alert).toContainText('parcel_no');

  await dialog.getByLabel('Type of parcel_no').selectOption('TEXT');
  await dialog.getByLabel('Table').fill('parcels');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog).toBeHidden({ timeout: 60_000 });
  await demo.settled();
  expect(await demo.query("SELECT count(*) FROM parcels WHERE parcel_no = 'x'")).toEqual([['1']]);
  const tables = await demo.query(
    'SELECT DISTINCT table_name FROM varve_tables ORDER BY table_name',
  );
  expect(tables.flat()).not.toContain('parcels_2024');
});
