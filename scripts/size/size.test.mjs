import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure, overBudget, total } from './measure.mjs';

test('repetition compresses, and raw bytes are raw', () => {
  const { raw, gzip, brotli } = measure(Buffer.alloc(10_000, 'ab'));
  assert.equal(raw, 10_000);
  assert.ok(gzip < 100 && brotli < 100);
});

test('totals add up, and each limit that is passed is said', () => {
  const rows = [
    { part: 'a', raw: 10, gzip: 5, brotli: 4 },
    { part: 'b', raw: 20, gzip: 6, brotli: 5 },
  ];
  const download = total('download', rows);
  assert.deepEqual(download, { part: 'download', raw: 30, gzip: 11, brotli: 9 });
  assert.deepEqual(overBudget({ download }, { download: { brotli: 9, gzip: 11 } }), []);
  assert.deepEqual(overBudget({ download }, { download: { brotli: 7 } }), [
    'download: 9 bytes brotli, 2 above the budget of 7.',
  ]);
});
