import { expect, test } from 'vitest';
import { create, freshDataDir } from './stores.js';

const STEPS = ['create', 'worker', 'compiled', 'started', 'open', 'answered'];

/** The marks of the package on the timeline of this page, by time. */
function marks(): string[] {
  const ours = performance
    .getEntriesByType('mark')
    .filter(({ name }) => name.startsWith('varvedb:'));
  return ours
    .sort((a, b) => a.startTime - b.startTime)
    .map(({ name }) => name.slice('varvedb:'.length));
}

test('the steps of a start are marked on the timeline of the page, in their order', async () => {
  const before = performance.now();
  performance.clearMarks();
  const db = await create(freshDataDir('idb'));
  expect(marks()).toEqual(STEPS.slice(0, -1));
  await db.query('SELECT 1');
  await db.query('SELECT 2');
  expect(marks()).toEqual(STEPS);
  // The worker has a clock of its own, which begins when it starts.
  for (const { startTime } of performance.getEntriesByType('mark')) {
    expect(startTime).toBeGreaterThanOrEqual(Math.floor(before));
    expect(startTime).toBeLessThanOrEqual(Math.ceil(performance.now()));
  }
});
