// zstd frames and dictionaries as wasm code makes them, against the list that native tests compare too.

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
    args: ['-p', 'varve-tests-zstd'],
    file: 'varve_tests_zstd.wasm',
    host: 'nodejs',
  });
  wasm = createRequire(import.meta.url)(join(folder, 'suite.js'));
});

after(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test('frames and dictionaries have the same bytes in wasm', () => {
  const golden = readFileSync(join(import.meta.dirname, 'zstd/golden.txt'), 'utf8').split('\n');
  const written = wasm.hashes().split('\n');
  for (const [index, line] of golden.entries()) assert.equal(written[index], line);
  assert.equal(written.length, golden.length);
});
