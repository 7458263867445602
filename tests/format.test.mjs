// B3: the bytes of the formats as wasm code writes them, against the golden files that the native tests compare too.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildWasmModule } from '../scripts/lib/wasm-module.mjs';

let folder;
let wasm;

before(async () => {
  folder = await buildWasmModule({
    args: ['-p', 'varve-tests-format'],
    file: 'varve_tests_format.wasm',
    host: 'nodejs',
  });
  wasm = createRequire(import.meta.url)(join(folder, 'suite.js'));
});

after(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const goldens = [
  ['v1/run-small.hex', () => wasm.goldenRun()],
  ['v1/manifest.hex', () => wasm.goldenManifest()],
  ['v1/log.hex', () => wasm.goldenLog()],
  ['v1/merged-log.hex', () => wasm.goldenMergedLog()],
];
for (const [name, write] of goldens) {
  test(`${name} is what wasm writes`, () => {
    const golden = readFileSync(join(import.meta.dirname, 'format', name), 'utf8').split('\n');
    const written = write().split('\n');
    // Line by line, so that a difference is told by its place and not by two whole files.
    for (const [index, line] of golden.entries()) {
      assert.deepEqual([index + 1, written[index]], [index + 1, line]);
    }
    assert.equal(written.length, golden.length);
  });
}
