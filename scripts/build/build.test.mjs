import assert from 'node:assert/strict';
import { test } from 'node:test';
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
