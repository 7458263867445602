import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeByCrate } from './crates.mjs';
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

test('code is counted by crate, and by the part in which it is', () => {
  const body = (length) => ({ body: new Uint8Array(length) });
  const functions = [body(5), body(7), body(11), body(13), body(17)];
  const names = [
    'varve_run::read a1',
    '',
    '&varve_run::Page::next b2',
    'core::fmt::num c3',
    'varve_run::read d4',
  ];
  const profile = new Set(['varve_run::read a1', 'core::fmt::num c3']);
  assert.deepEqual(codeByCrate(functions, names, profile), [
    { crate: 'varve_run', first: 5, second: 28 },
    { crate: 'core', first: 13, second: 0 },
    { crate: 'others', first: 7, second: 0 },
  ]);
});
