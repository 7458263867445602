// The cases, each the same work for every engine, in an order in which each finds what it needs.

import { orderAt } from './orders.mjs';

const PASSES = 9;
const SINGLES = 40;
const BATCH_ROWS = 100;
const LOOKUPS = 500;
const RANGE_ROWS = 100;
const DELETED_ROWS = 150;
const UPDATE_ROWS = 1000;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds of each pass; their median. */
async function medianMs(passes, work) {
  const times = [];
  for (let pass = 0; pass < passes; pass += 1) {
    const start = performance.now();
    await work(pass);
    times.push(performance.now() - start);
  }
  return median(times);
}

function expectEqual(found, wanted, what) {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

/** Runs all cases that the engine knows; answers figures `{ name, unit, value }`. */
export async function runCases(engine, columns, { updates, smallCommits }) {
  const rows = columns.id.length;
  const figures = [];
  const add = (name, unit, value) => figures.push({ name, unit, value });
  let at = 1;
  const nextId = () => {
    at = (at + 736_879) % rows;
    return at + 1;
  };
  let newId = rows;
  const fresh = (count) =>
    Array.from({ length: count }, () => {
      newId += 1;
      return orderAt(columns, newId % rows, newId);
    });

  let start = performance.now();
  await engine.load(columns);
  add('load', 'rows/s', (rows / (performance.now() - start)) * 1e3);
  expectEqual(await engine.count(), rows, 'rows after the load');

  await engine.close();
  start = performance.now();
  await engine.open();
  expectEqual(typeof (await engine.lookup(rows >> 1)), 'number', 'a price');
  add('open and first lookup', 'ms', performance.now() - start);

  const hot = Array.from({ length: 50 }, nextId);
  const lookups = async () => {
    for (let i = 0; i < LOOKUPS; i += 1) await engine.lookup(hot[i % hot.length]);
  };
  await lookups();
  add('lookup, hot', 'us', ((await medianMs(PASSES, lookups)) / LOOKUPS) * 1e3);
  const anyRow = async () => {
    for (let i = 0; i < LOOKUPS; i += 1) await engine.lookup(nextId());
  };
  add('lookup, any row', 'us', ((await medianMs(PASSES, anyRow)) / LOOKUPS) * 1e3);
  const range = async () => {
    const from = Math.min(nextId(), rows - RANGE_ROWS);
    expectEqual(await engine.range(from, from + RANGE_ROWS - 1), RANGE_ROWS, 'rows of a range');
  };
  add('range of 100 rows', 'us', (await medianMs(PASSES * 5, range)) * 1e3);

  for (const durability of engine.durabilities) {
    await engine.setDurability(durability);
    const singles = fresh(SINGLES * PASSES);
    const single = await medianMs(PASSES, async (pass) => {
      for (let i = 0; i < SINGLES; i += 1) await engine.insert(singles[pass * SINGLES + i]);
    });
    add(`insert, ${durability}`, 'us', (single / SINGLES) * 1e3);
    const batches = fresh(BATCH_ROWS * PASSES);
    const batch = await medianMs(PASSES, (pass) =>
      engine.insertBatch(batches.slice(pass * BATCH_ROWS, (pass + 1) * BATCH_ROWS)),
    );
    add(`100 inserts at once, ${durability}`, 'ms', batch);
  }
  await engine.setDurability('relaxed');

  const deletes = await medianMs(PASSES, async (pass) => {
    const from = 1000 + pass * 1000;
    const deleted = await engine.deleteRange(from, from + DELETED_ROWS - 1);
    expectEqual(deleted, DELETED_ROWS, 'deleted rows');
  });
  add('delete of 150 rows by range', 'ms', deletes);

  start = performance.now();
  for (let done = 0; done < updates; done += UPDATE_ROWS) {
    await engine.updateBatch(Array.from({ length: UPDATE_ROWS }, nextId), done);
  }
  add('random updates, 1,000 at once', 'rows/s', (updates / (performance.now() - start)) * 1e3);

  for (const order of fresh(smallCommits)) await engine.insert(order);
  await engine.close();
  start = performance.now();
  await engine.open();
  await engine.lookup(rows);
  add(`open after ${smallCommits} commits of one row`, 'ms', performance.now() - start);
  return figures;
}
