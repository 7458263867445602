import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { toolEnvironment } from './environment.mjs';
import { filesUnder, hashOf } from './hash.mjs';
import { cacheDir, pathWith, targetDir } from './paths.mjs';
import { elapsed } from './progress.mjs';
import { ask, runLines } from './run.mjs';
import { lockedVersion, printedVersion, toolchainOf } from './versions.mjs';

test('elapsed time reads well at each size', () => {
  const cases = [
    [40, '0.0 s'],
    [9_940, '9.9 s'],
    [12_700, '12 s'],
    [185_000, '3 min 05 s'],
  ];
  for (const [ms, text] of cases) assert.equal(elapsed(ms), text);
});

test('the locked version is that of the very package', () => {
  const lock = `[[package]]\nname = "wasm-bindgen-macro"\nversion = "0.1.0"\n\n[[package]]\nname = "wasm-bindgen"\nversion = "0.2.130"\n`;
  assert.equal(lockedVersion(lock, 'wasm-bindgen'), '0.2.130');
  assert.equal(lockedVersion(lock, 'idb'), undefined);
});

test('a printed version is found in what tools print', () => {
  assert.equal(printedVersion('wasm-bindgen 0.2.130 (abc 2026-01-01)'), '0.2.130');
  assert.equal(printedVersion('nothing here'), undefined);
});

test('the toolchain file gives channel, components and targets', () => {
  const text =
    '[toolchain]\nchannel = "1.95.0"\ncomponents = ["clippy", "rustfmt"]\ntargets = ["wasm32"]\n';
  assert.deepEqual(toolchainOf(text), {
    channel: '1.95.0',
    components: ['clippy', 'rustfmt'],
    targets: ['wasm32'],
  });
});

test('folders come first on the path, each once', () => {
  assert.equal(
    pathWith(['/a', '/b'], ['/b', '/c'].join(delimiter)),
    ['/a', '/b', '/c'].join(delimiter),
  );
  assert.equal(pathWith(['/a'], undefined), '/a');
});

test('the cache follows XDG_CACHE_HOME, and a set target directory wins', () => {
  assert.equal(cacheDir({ XDG_CACHE_HOME: '/x' }), join('/x', 'varvedb'));
  assert.equal(targetDir({ XDG_CACHE_HOME: '/x' }), join('/x', 'varvedb', 'target'));
  assert.equal(targetDir({ CARGO_TARGET_DIR: '/t' }), '/t');
});

test('tools run with the locked versions first on the path', () => {
  const env = toolEnvironment({ PATH: '/usr/bin', XDG_CACHE_HOME: '/x' });
  assert.match(env.PATH, /^\/x\/varvedb\/tools\/wasm-bindgen-cli-[\d.]+\/bin/);
  assert.ok(env.PATH.endsWith('/usr/bin'));
});

test('the hash changes with a name, a byte or a note, and with nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'varvedb-hash-'));
  try {
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    writeFileSync(join(folder, 'a', 'b', 'x'), 'one');
    writeFileSync(join(folder, 'lock'), 'two');
    const paths = ['a', 'lock'];
    assert.deepEqual(filesUnder(folder, paths), [join('a', 'b', 'x'), 'lock']);
    const first = hashOf(folder, paths, ['n']);
    assert.equal(hashOf(folder, ['lock', 'a'], ['n']), first);
    assert.notEqual(hashOf(folder, paths, ['m']), first);
    writeFileSync(join(folder, 'a', 'b', 'x'), 'onE');
    assert.notEqual(hashOf(folder, paths, ['n']), first);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a command hands over its lines and its code; a missing one is an answer, not a crash', async () => {
  const lines = [];
  const script = 'console.log("one"); console.error("two"); process.exit(3)';
  const done = await runLines(process.execPath, ['-e', script], {
    onLine: (line) => lines.push(line),
  });
  assert.equal(done.code, 3);
  assert.deepEqual(lines.sort(), ['one', 'two']);
  assert.equal((await runLines('no-such-command-here', [])).code, 127);
  assert.equal(ask('no-such-command-here', []), undefined);
});
