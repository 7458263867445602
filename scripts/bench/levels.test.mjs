import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../lib/paths.mjs';
import { Stop } from '../lib/stop.mjs';
import { cargoArgs, levelsOf, quickCrates, sizeTable } from './levels.mjs';

const MANIFEST = `
[profile.wasm.package.varve-run]
opt-level = 3

[profile.wasm.package.xxhash-rust]
opt-level = "z"

[profile.wasm.package.varve-exec]
opt-level = 3

[profile.wasm.package.varve-bench]
opt-level = 3
`;

test('the quick crates are those that the manifest has at level 3', () => {
  assert.deepEqual(quickCrates(MANIFEST), ['varve-run', 'varve-exec']);
  const ours = quickCrates(readFileSync(join(root, 'Cargo.toml'), 'utf8'));
  assert.ok(ours.includes('varve-kernels'), ours.join());
});

test('the name of a build says its levels', () => {
  const quick = ['varve-run', 'varve-exec'];
  assert.deepEqual(levelsOf('shipped', quick), []);
  assert.deepEqual(levelsOf('varve-run.z+varve-dml.2', quick), [
    { crate: 'varve-run', level: 'z' },
    { crate: 'varve-dml', level: '2' },
  ]);
  assert.deepEqual(levelsOf('quick.s', quick), [
    { crate: 'varve-run', level: 's' },
    { crate: 'varve-exec', level: 's' },
  ]);
  for (const name of ['varve-run', 'varve-run.4', '.z', 'varve-run.z+']) {
    assert.throws(() => levelsOf(name, quick), Stop);
  }
});

test('cargo takes numbers bare and letters as texts', () => {
  const levels = levelsOf('varve-run.z+varve-exec.2', []);
  assert.deepEqual(cargoArgs(levels), [
    '--config',
    'profile.wasm.package.varve-run.opt-level="z"',
    '--config',
    'profile.wasm.package.varve-exec.opt-level=2',
  ]);
});

test('builds are beside what is shipped', () => {
  const rows = [
    { name: 'shipped', first: 1000, second: 500 },
    { name: 'varve-run.z', first: 900, second: 510 },
  ];
  assert.equal(
    sizeTable(rows),
    '| build | first part | second part | first part, less | both, less |\n' +
      '| --- | ---: | ---: | ---: | ---: |\n' +
      '| shipped | 1,000 | 500 | 0 | 0 |\n' +
      '| varve-run.z | 900 | 510 | 100 | 90 |\n',
  );
});
