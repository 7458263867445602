import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionsOf, renamed } from '../lib/wasm-code.mjs';
import { similarOrder } from './function-order.mjs';
import { closureOf } from './wasm-inputs.mjs';

test('the inputs of a crate are its workspace packages, dev-dependencies left out', () => {
  const crate = (name, dependencies) => ({
    name,
    manifest_path: `/r/crates/${name}/Cargo.toml`,
    dependencies,
  });
  const metadata = {
    packages: [
      crate('wasm', [
        { name: 'store', kind: null },
        { name: 'sim', kind: 'dev' },
      ]),
      crate('store', [
        { name: 'types', kind: null },
        { name: 'roaring', kind: null },
      ]),
      crate('types', []),
      crate('sim', []),
      crate('cli', [{ name: 'store', kind: null }]),
    ],
  };
  assert.deepEqual(closureOf(metadata, 'wasm'), [
    '/r/crates/store',
    '/r/crates/types',
    '/r/crates/wasm',
  ]);
});

test('functions are ordered by type, and each is followed by the one most like it', () => {
  const one = (name, type, ...body) => ({ name, type, body: Uint8Array.from(body) });
  const functions = [
    one('_ZN9varve_xyz4bind17h01E', 1, 9, 1, 2, 3, 4, 5),
    one('_ZN9varve_run4bind17h02E', 1, 1, 2, 3, 4),
    one('_ZN9varve_xyz4bind17h03E', 1, 4, 9, 4, 9),
    one('main', 0, 1, 2, 3, 4),
    one('_ZN9varve_xyz4bind17h04E', 1, 1, 2, 3, 4, 5),
  ];
  // 1 begins, as its crate is the first; 4 shares half of its pieces, 0 the most of those of 4.
  assert.deepEqual(similarOrder(functions), [3, 1, 4, 0, 2]);
  const same = Array.from({ length: 5 }, () => one('a', 0, 1, 2, 3, 4, 5));
  assert.deepEqual(similarOrder(same), [0, 1, 2, 3, 4]);
  assert.deepEqual(similarOrder([one('b', 0, 1), one('a', 0)]), [1, 0]);
});

test('functions of a module are renamed, and keep types and bodies', () => {
  // An imported function `m.f`, and two with bodies: `(i32) -> i32` and `() -> ()`.
  const wasm = Buffer.from(
    '0061736d01000000' +
      '0109026000006001' +
      '7f017f' +
      '02070101' +
      '6d01660000' +
      '0303020100' +
      '0a0902040020000b02000b',
    'hex',
  );
  const named = renamed(renamed(wasm, ['x', 'y']), ['b', 'a']);
  assert.equal(WebAssembly.validate(named), true);
  assert.deepEqual(
    functionsOf(named).map(({ name, type, body }) => [
      name,
      type,
      Buffer.from(body).toString('hex'),
    ]),
    [
      ['b', 1, '0020000b'],
      ['a', 0, '000b'],
    ],
  );
});

test('functions are named behind imports of every kind', () => {
  // A function, a table, a memory and a global are imported; `h` is a function with a body.
  const wasm = Buffer.from(
    '0061736d01000000' +
      '010401600000' +
      '021e04' +
      '016d01660000' +
      '016d017401700001' +
      '016d017902010102' +
      '016d0167037f01' +
      '03020100' +
      '0a040102000b' +
      '000b046e616d65010401010168',
    'hex',
  );
  const [{ name, type, body }, ...others] = functionsOf(wasm);
  assert.deepEqual([name, type, [...body], others], ['h', 0, [0, 0x0b], []]);
  assert.throws(() => functionsOf(wasm.subarray(0, -3)), /ends in the middle/);
});
