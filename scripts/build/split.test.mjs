import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { toolEnvironment } from '../lib/environment.mjs';
import { runLines } from '../lib/run.mjs';

// `hot` and `cold` call each other, by name and by the table; `counted` is in both by a global.
const TEXT = `(module
  (import "./second-part.js" "loadSecondPart" (func $load))
  (import "host" "seen" (func $seen (param i32)))
  (memory (export "memory") 1)
  (global $count (mut i32) (i32.const 0))
  (table $functions 6 funcref)
  (table $references 4 externref)
  (elem (i32.const 1) $hot $cold $rare)
  (elem (i32.const 5) $cold)
  (type $one (func (param i32) (result i32)))
  (data (i32.const 8) "\\07")
  (func $hot (param i32) (result i32)
    (if (result i32) (local.get 0) (then (call $cold (local.get 0))) (else (i32.const 100))))
  (func $cold (param i32) (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (call $seen (local.get 0))
    (i32.add (i32.load8_u (i32.const 8)) (call $hot (i32.sub (local.get 0) (i32.const 1)))))
  (func $rare (param i32) (result i32)
    (i32.add (call_indirect $functions (type $one) (local.get 0) (i32.const 2)) (i32.const 1000)))
  (func $alone (export "alone") (param i64 f64) (result f64 i64)
    (local.get 1) (local.get 0))
  (func $hot_run (export "run") (param i32 i32) (result i32)
    (call_indirect $functions (type $one) (local.get 1) (local.get 0)))
  (func $keep (export "keep") (param externref) (table.set $references (i32.const 2) (local.get 0)))
  (func $hot_kept (export "kept") (result externref) (table.get $references (i32.const 2)))
  (export "cold" (func $cold))
  (func $hot_count (export "count") (result i32) (global.get $count))
  (func $hot_load (export "load") (call $load)))`;

const HOT = ['hot', 'hot_run', 'hot_count', 'hot_load', 'hot_kept'];
const env = toolEnvironment();
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'varve-split-'));
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** FNV-1a, as varve-wasm-split has it. */
function hashOf(name) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash >>> 8).toString(16).padStart(6, '0');
}

async function ran(command, args) {
  const { code, tail } = await runLines(command, args, { env });
  assert.equal(code, 0, tail.join('\n'));
}

/** The parts of a module of this text, of which these functions stay. */
async function parts(text, hot) {
  const at = (name) => join(folder, name);
  writeFileSync(at('whole.wat'), text);
  writeFileSync(at('profile'), hot.map((name) => `${name} ${hashOf(name)}`).join('\n'));
  const features = ['--enable-mutable-globals', '--enable-reference-types', '--enable-multivalue'];
  await ran('wasm-as', ['-g', ...features, at('whole.wat'), '-o', at('whole.wasm')]);
  const files = ['whole.wasm', 'profile', 'first.wasm', 'second.wasm'].map(at);
  await ran('cargo', ['run', '-q', '-p', 'varve-wasm-split', '--', ...files]);
  return { first: readFileSync(at('first.wasm')), second: readFileSync(at('second.wasm')) };
}

/** The first part at work; `load` is what its stubs call. */
function started({ first, second }, load) {
  const seen = [];
  const second_ = new WebAssembly.Module(second);
  const engine = {
    seen,
    loads: 0,
    install: () => new WebAssembly.Instance(second_, { first: engine.exports }),
  };
  const instance = new WebAssembly.Instance(new WebAssembly.Module(first), {
    './second-part.js': {
      loadSecondPart() {
        engine.loads += 1;
        load(engine);
      },
    },
    host: { seen: (number) => seen.push(number) },
  });
  engine.exports = instance.exports;
  return engine;
}

test('a stub loads the second part on the first call into it', async () => {
  const engine = started(await parts(TEXT, HOT), ({ install }) => install());
  const { run, count, alone, cold } = engine.exports;
  assert.equal(run(1, 0), 100);
  assert.equal(engine.loads, 0, 'what is hot needs nothing');
  assert.equal(run(1, 3), 121);
  assert.deepEqual([engine.seen, count(), engine.loads], [[3, 2, 1], 3, 1]);
  assert.equal(run(3, 1), 1107, 'through the table, too');
  assert.equal(run(5, 1), 107, 'by another slot');
  assert.equal(cold(1), 107, 'by its name');
  assert.deepEqual(alone(5n, 2.5), [2.5, 5n]);
  assert.equal(engine.loads, 1);
});

test('what is loaded before needs no stub to load it', async () => {
  const engine = started(await parts(TEXT, HOT), () => assert.fail('loaded twice'));
  engine.install();
  assert.equal(engine.exports.run(3, 2), 1114);
  assert.equal(engine.exports.count(), 2);
});

test('references that one part puts into a table are there for the other', async () => {
  const engine = started(await parts(TEXT, HOT), ({ install }) => install());
  const reference = { any: 'thing' };
  engine.exports.keep(reference);
  assert.equal(engine.exports.kept(), reference);
});

test('what cannot be loaded throws, and can be loaded later', async () => {
  let isThere = false;
  const engine = started(await parts(TEXT, HOT), ({ install }) => {
    if (!isThere) throw new Error('no network');
    install();
  });
  assert.throws(() => engine.exports.run(2, 1), /no network/);
  assert.throws(() => engine.exports.alone(1n, 1), /no network/);
  isThere = true;
  assert.equal(engine.exports.run(2, 1), 107);
});

test('the parts of two builds do not fit each other', async () => {
  const { first } = await parts(TEXT, HOT);
  const { second } = await parts(TEXT, [...HOT, 'rare']);
  const engine = started({ first, second }, ({ install }) => install());
  assert.throws(() => engine.exports.run(1, 1), WebAssembly.LinkError);
});

test('the same module and profile give the same parts, and all or nothing can be hot', async () => {
  const once = await parts(TEXT, HOT);
  assert.deepEqual(await parts(TEXT, [...HOT].reverse()), once);
  const all = [...HOT, 'cold', 'rare', 'alone', 'keep'];
  const whole = started(await parts(TEXT, all), () => assert.fail('there is no stub'));
  assert.equal(whole.exports.run(1, 3), 121);
  const empty = started(await parts(TEXT, ['nothing']), ({ install }) => install());
  assert.equal(empty.exports.run(1, 3), 121);
  assert.equal(empty.loads, 1);
});
