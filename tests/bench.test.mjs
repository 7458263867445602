// The benchmark's sets and their encoded bytes are the same as wasm and natively.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { toolEnvironment } from '../scripts/lib/environment.mjs';
import { root } from '../scripts/lib/paths.mjs';
import { buildWasmModule } from '../scripts/lib/wasm-module.mjs';

const OUTPUT_BYTES_MAX = 1 << 26;
/** Wide rows, which take a minute at size S; they are smaller unless every test runs. */
const WIDE = process.env.VARVEDB_TESTS === 'full' ? [] : ['D9', 'D11'];
const native = new Map();
let folder;
let wasm;

function nativeHashes(size, names) {
  const args = ['run', '--quiet', '-p', 'varve-bench', '--', 'ours', '--hashes', '--size', size];
  const done = spawnSync('cargo', [...args, ...names], {
    cwd: root,
    env: toolEnvironment(),
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  assert.equal(done.status, 0, done.stderr);
  for (const set of JSON.parse(done.stdout).sets) native.set(set.name, { ...set, size });
}

before(async () => {
  folder = await buildWasmModule({
    args: ['-p', 'varve-bench', '--lib'],
    file: 'varve_bench.wasm',
    host: 'nodejs',
  });
  wasm = createRequire(import.meta.url)(join(folder, 'suite.js'));
});

after(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test('every set is the same natively and as wasm, generated and encoded', () => {
  const names = wasm.setNames();
  nativeHashes(
    'S',
    names.filter((name) => !WIDE.includes(name)),
  );
  if (WIDE.length > 0) nativeHashes('XS', WIDE);
  for (const name of names) {
    const set = wasm.BenchSet.generate(name, native.get(name).size);
    assert.equal(set.csvHash(), native.get(name).csv_blake3, `${name} as CSV`);
    set.encode();
    assert.equal(set.encodedHash(), native.get(name).encoded_blake3, `${name} encoded`);
    set.free();
  }
});
