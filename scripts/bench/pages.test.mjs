import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { queriesOf } from '../../tests/bench/browser/pages/queries.mjs';
import { readings, STATIONS } from '../../tests/bench/browser/pages/readings.mjs';
import { Stop } from '../lib/stop.mjs';
import { median } from './median.mjs';
import { byteTable, caseTable, differences, summary } from './page-report.mjs';
import { buildsOf, casesNamed, positiveInt } from './pages.mjs';

const query = (values, answer = { rows: 1, checksum: 'a' }) => ({ unit: 'ms', values, answer });
const run = (figures, fetched = []) => ({ figures, fetched });

test('the median is the middle one, or the mean of the two in the middle', () => {
  assert.equal(median([9, 1, 10]), 9);
  assert.equal(median([1, 2, 4, 9]), 3);
});

test('a figure is the median of the medians of runs, and queries have a geometric mean', () => {
  const load = (value) => ({ unit: 'rows/s', values: [value] });
  const figures = summary([
    run({ load: load(5), one: query([1, 2, 30]), two: query([8]), last: load(1) }),
    run({ load: load(7), one: query([2]), two: query([8]), last: load(1) }),
    run({ load: load(6), one: query([90]), two: query([8]), last: load(1) }),
  ]);
  const mean = 'geometric mean of the queries';
  assert.deepEqual(Object.keys(figures), ['load', 'one', 'two', mean, 'last']);
  assert.equal(figures.load.value, 6);
  assert.equal(figures.one.value, 2);
  assert.equal(figures[mean].value.toFixed(6), '4.000000');
});

test('builds have to give the same rows in every run, the peer as many', () => {
  const answers = (...checksums) =>
    checksums.map((checksum) => run({ top: query([1], { rows: 2, checksum }) }));
  const few = [run({ top: query([1], { rows: 1, checksum: 'z' }) })];
  assert.deepEqual(differences({ a: answers('x'), b: answers('x'), s: answers('z') }, 's'), []);
  assert.deepEqual(differences({ a: answers('x'), b: answers('x', 'y'), s: few }, 's'), [
    'b answers "top" differently from a.',
    's answers "top" differently from a.',
  ]);
  assert.deepEqual(differences({ a: answers('x', 'y') }, 's'), [
    'a answers "top" differently from a.',
  ]);
});

test('ratios say how many times as fast the last build is, whichever way the unit goes', () => {
  const runs = (ms, speed) => [
    run({ start: { unit: 'ms', values: [ms] }, load: { unit: 'rows/s', values: [speed] } }),
  ];
  const results = { old: runs(200, 1000), new: runs(100, 1500), s: runs(50, 3000) };
  assert.deepEqual(caseTable(results, 's').split('\n').slice(0, 4), [
    '| case | unit | old | new | s | new: times as fast as old | new: times as fast as s |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
    '| start | ms | 200 | 100 | 50 | 2.00 | 0.50 |',
    '| load | rows/s | 1,000 | 1,500 | 3,000 | 1.50 | 0.50 |',
  ]);
  const [head] = caseTable({ only: results.old }, 's').split('\n');
  assert.equal(head, '| case | unit | only |');
});

test('bytes of the package are counted up to the first answer', () => {
  const fetched = [
    { name: 'varve.html', bytes: 9, early: true },
    { name: 'package/index.js', bytes: 1000, early: true },
    { name: 'package/worker.js', bytes: 500, early: true },
    { name: 'package/varve_rest_bg.wasm', bytes: 7, early: false },
  ];
  assert.deepEqual(
    byteTable({ a: [run({}, fetched)] })
      .split('\n')
      .slice(2, 6),
    [
      '| a | index.js | 1,000 |  |',
      '| a | worker.js | 500 |  |',
      '| a | varve_rest_bg.wasm |  | 7 |',
      '| a | **in all** | 1,500 |  |',
    ],
  );
});

test('what is not understood is said before anything runs', () => {
  assert.equal(positiveInt('rows', '20000'), 20_000);
  for (const text of ['0', '-1', '1.5', 'many', '']) {
    assert.throws(() => positiveInt('rows', text), Stop);
  }
  assert.deepEqual(casesNamed(['reload']), ['reload']);
  assert.equal(casesNamed([]).length, 6);
  assert.throws(() => casesNamed(['start', 'sart']), /no case sart/);
});

test('a build is a name and a folder that has one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'varve-build-'));
  try {
    assert.throws(() => buildsOf([`a=${folder}`]), /the build a has no index.js/);
    for (const file of ['index.js', 'worker.js', 'varve_bg.wasm']) {
      writeFileSync(join(folder, file), '');
    }
    assert.deepEqual(buildsOf([`a=${folder}`, `b=${folder}`]), { a: folder, b: folder });
    assert.throws(() => buildsOf([`a=${folder}`, `a=${folder}`]), /two engines are called a/);
    assert.throws(() => buildsOf([`sqlite-wasm=${folder}`]), /two engines are called sqlite-wasm/);
    for (const text of [folder, 'a=', `=${folder}`])
      assert.throws(() => buildsOf([text]), /NAME=FOLDER/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('readings are the same each time, in chunks, with a note on every third row', () => {
  const chunks = readings(100_001);
  assert.deepEqual(
    chunks.map(({ id }) => id.length),
    [100_000, 1],
  );
  assert.deepEqual(readings(100_001), chunks);
  const [{ id, at, station, value, amount, note }] = chunks;
  assert.equal(id[99_999], 100_000n);
  assert.equal(at[0], '2024-01-01 00:00:00');
  assert.ok(station.every((each) => each >= 0 && each < STATIONS));
  assert.ok(value.every((each) => Number.isInteger(each * 16)));
  assert.ok(amount.every((each) => /^\d{1,5}\.\d\d$/.test(each)));
  assert.ok(note.every((each, row) => (each === null) === (row % 3 !== 0)));
});

test('both dialects have the same ten queries', () => {
  const names = (dialect) => queriesOf(dialect).map(([name]) => name);
  assert.equal(names('varve').length, 10);
  assert.deepEqual(names('varve'), names('sqlite'));
});
