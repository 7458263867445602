import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stop } from '../lib/stop.mjs';
import { aptPrefix } from './apt.mjs';
import { findChromium } from './chromium.mjs';
import { isLibclang } from './native.mjs';
import { missingParts } from './rust.mjs';

test('what rustup lacks is named', () => {
  const wanted = { components: ['clippy', 'rustfmt'], targets: ['wasm32-unknown-unknown'] };
  const components = 'cargo-x86_64\nclippy-x86_64-unknown-linux-gnu\nrustfmt-x86_64\n';
  const targets = 'wasm32-unknown-unknown\nx86_64-unknown-linux-gnu\n';
  assert.deepEqual(missingParts(wanted, components, targets), []);
  assert.deepEqual(missingParts(wanted, 'clippy-x86_64', ''), [
    'wasm32-unknown-unknown',
    'rustfmt',
  ]);
  assert.equal(missingParts(wanted, undefined, undefined).length, 3);
});

test('apt is called plainly by root, through sudo where it asks nothing, else not at all', () => {
  const cases = [
    [{ hasApt: true, isRoot: true, hasSudo: false }, []],
    [{ hasApt: true, isRoot: false, hasSudo: true }, ['sudo', '-n']],
    [{ hasApt: true, isRoot: false, hasSudo: false }, undefined],
    [{ hasApt: false, isRoot: true, hasSudo: true }, undefined],
  ];
  for (const [machine, prefix] of cases) assert.deepEqual(aptPrefix(machine), prefix);
});

test('CHROMIUM wins when it exists, and a wrong one is said', () => {
  assert.equal(findChromium({ CHROMIUM: process.execPath, PATH: '' }), process.execPath);
  assert.throws(() => findChromium({ CHROMIUM: '/no/such/browser' }), Stop);
});

test('libclang is told from the libraries that lie beside it', () => {
  const folder = '/usr/lib/llvm-14/lib';
  for (const name of ['libclang.so', 'libclang.so.1', 'libclang-14.so.1', 'libclang-14.0.6.so']) {
    assert.ok(isLibclang(`${folder}/${name}`), name);
  }
  for (const name of ['libclang-cpp.so.14', 'libclang-cpp.so', 'libclangAST.so.14']) {
    assert.ok(!isLibclang(`${folder}/${name}`), name);
  }
});
