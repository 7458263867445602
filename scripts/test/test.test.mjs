import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stop } from '../lib/stop.mjs';
import { cargoTest, nodeTest, oneCheck, plain, playwright, settle, vitest } from './counts.mjs';
import { failures } from './failures.mjs';
import { chosen } from './index.mjs';
import { runSuite } from './run-suite.mjs';

test("each tool's summary is counted", () => {
  const cases = [
    [nodeTest, 'ℹ tests 5\nℹ pass 4\nℹ fail 1\n', 4, 1],
    [nodeTest, '# pass 2\n# fail 0\n', 2, 0],
    [
      cargoTest,
      'test result: ok. 3 passed; 0 failed; 1 ignored\n\ntest result: FAILED. 1 passed; 2 failed;\n',
      4,
      2,
    ],
    [vitest, ' Test Files  1 passed (1)\n      Tests  2 failed | 5 passed (7)\n', 5, 2],
    [vitest, '      Tests  6 passed (6)\n', 6, 0],
    [playwright, '\n  1 failed\n    a.spec.ts:3:1\n  5 passed (3.1s)\n', 5, 1],
  ];
  for (const [count, text, passed, failed] of cases)
    assert.deepEqual(count(text), { passed, failed });
});

test('colours do not hide a count', () => {
  assert.deepEqual(vitest(plain('\x1b[2m      Tests \x1b[22m \x1b[32m6 passed\x1b[39m (6)')), {
    passed: 6,
    failed: 0,
  });
});

test('a suite that ends badly or runs nothing has failed', () => {
  assert.deepEqual(settle({ passed: 3, failed: 0 }, 0, false), { passed: 3, failed: 0 });
  assert.deepEqual(settle({ passed: 3, failed: 0 }, 101, false), { passed: 3, failed: 1 });
  assert.deepEqual(settle({ passed: 3, failed: 2 }, 1, false), { passed: 3, failed: 2 });
  assert.deepEqual(settle({ passed: 0, failed: 0 }, 0, false), { passed: 0, failed: 1 });
  assert.deepEqual(settle({ passed: 0, failed: 0 }, 0, true), { passed: 1, failed: 0 });
});

test('suites are chosen by a part of their name', () => {
  const all = [{ name: 'clippy' }, { name: 'clippy on wasm' }, { name: 'native' }];
  assert.equal(chosen(all, []).length, 3);
  assert.equal(chosen(all, ['clippy']).length, 2);
  assert.throws(() => chosen(all, ['nope']), Stop);
});

test('a suite is run to its counts, and ended at its time limit', async () => {
  const node = (script) => [process.execPath, '-e', script];
  const good = { name: 'good', command: node('console.log("# pass 2")'), count: nodeTest };
  const { passed, failed } = await runSuite(good, process.env);
  assert.deepEqual([passed, failed], [2, 0]);
  const stuck = { name: 'stuck', command: node('setInterval(() => {}, 1000)'), count: oneCheck };
  assert.equal((await runSuite({ ...stuck, minutesMax: 0.002 }, process.env)).failed, 1);
  const missing = { name: 'missing', command: ['no-such-command-here'], count: oneCheck };
  assert.equal((await runSuite(missing, process.env)).failed, 1);
});

test('what failed is told once more, with the last lines', () => {
  const named = [
    'test sql::joins ... FAILED',
    "thread 'sql::joins' panicked at tests/joins.rs:3:1",
    '  ✘  12 quota.test.ts:38:1 › a full quota (3.0m)',
    '     × opens twice 12ms',
    'not ok 4 - reads',
    'error: could not compile `varve`',
  ];
  const passing = Array.from({ length: 50 }, (_, i) => `test number_${i} ... ok`);
  const told = failures([...named, ...passing, '1 failed'].join('\n'));
  assert.deepEqual(told.slice(0, named.length), named);
  assert.deepEqual(told.slice(named.length), [...passing.slice(-29), '1 failed']);
});
