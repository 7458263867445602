import { DemoPage } from './demo/demo-page';
import { expect, test } from './demo/fixtures';
import { type Order, writeOrdersCsv } from './demo/orders';

const ROWS = 1_000_000;

interface StatusFigures {
  count: number;
  total: number;
  latest: number;
}

test('1,000,000 generated rows are imported and asked', async ({ demo: url, profile }, info) => {
  const { VARVEDB_TESTS } = process.env;
  test.skip(VARVEDB_TESTS !== 'full', 'part of the long run, npm run test:full');
  test.setTimeout(15 * 60_000);
  const byStatus = new Map<string, StatusFigures>();
  let noted = 0;
  let dearest: Order[] = [];
  const path = info.outputPath('orders.csv');
  await writeOrdersCsv(path, ROWS, (order) => {
    const figures = byStatus.get(order.status) ?? { count: 0, total: 0, latest: 0 };
    figures.count += 1;
    figures.total += order.price;
    figures.latest = Math.max(figures.latest, order.ts);
    byStatus.set(order.status, figures);
    if (order.note !== undefined) noted += 1;
    dearest.push(order);
    if (dearest.length > 10_000) dearest = dearestTen(dearest);
  });
  const demo = new DemoPage(await profile.open());
  await demo.page.goto(url);
  await demo.importCsv(path, 10 * 60_000);

  const ask = async (page: DemoPage) => {
    expect(await page.query('SELECT count(*), count(note) FROM orders')).toEqual([
      [String(ROWS), String(noted)],
    ]);
    const groups = await page.query(
      'SELECT status, count(*), sum(price), max(ts) FROM orders GROUP BY status ORDER BY status',
    );
    expect(groups.map(([status]) => status)).toEqual([...byStatus.keys()].sort());
    for (const [status = '', count, total, latest] of groups) {
      const figures = byStatus.get(status);
      expect([count, latest]).toEqual([String(figures?.count), String(figures?.latest)]);
      expect(Number(total)).toBeCloseTo(figures?.total ?? 0, 2);
    }
    const top = await page.query(
      'SELECT id, email, price FROM orders ORDER BY price DESC, id LIMIT 10',
    );
    const expected = dearestTen(dearest).map(({ id, email, price }) =>
      [id, email, price].map(String),
    );
    expect(top).toEqual(expected);
  };
  await ask(demo);
  await demo.page.reload();
  await ask(demo);
});

function dearestTen(list: readonly Order[]): Order[] {
  return [...list].sort((a, b) => b.price - a.price || a.id - b.id).slice(0, 10);
}
