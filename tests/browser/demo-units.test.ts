import { expect, test } from 'playwright/test';
import { ColumnByteCounter } from '../../demo/src/csv/column-bytes';
import { inferTable } from '../../demo/src/csv/infer';
import { guessDelimiter, readRecords } from '../../demo/src/csv/records';
import { RowWindow } from '../../demo/src/result/row-window';
import { endOfToken, offsetOfPosition, quoteIdentifier } from '../../demo/src/sql-text';
import { formatBytes, formatRatio } from '../../demo/src/ui/figures';

test('records of CSV text', () => {
  const cases: [text: string, isWholeFile: boolean, records: string[][]][] = [
    [
      'a,b\n1,2\n',
      true,
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      true,
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a,b\n1,2', false, [['a', 'b']]],
    ['"x, ""y""\nz",\n', true, [['x, "y"\nz', '']]],
    ['a\n\nb\n', true, [['a'], ['b']]],
    ['', true, []],
  ];
  for (const [text, isWholeFile, records] of cases) {
    expect(readRecords(text, ',', isWholeFile), text).toEqual(records);
  }
});

test('the delimiter of a file', () => {
  expect(guessDelimiter('a,b\n1,2\n', true)).toBe(',');
  expect(guessDelimiter('a;b,c;d\n1;2;3\n', true)).toBe(';');
  expect(guessDelimiter('a\tb\n"1\t,,,"\t2\n', true)).toBe('\t');
  expect(guessDelimiter('only one column\n', true)).toBe(',');
});

test('types of columns', () => {
  const cases: [values: string[], type: string][] = [
    [['1', '-20', '0'], 'BIGINT'],
    [['01234', '99999'], 'TEXT'],
    [['1', '1.5', '-.5', '2e10'], 'DOUBLE PRECISION'],
    [['e5', '1'], 'TEXT'],
    [['-', '1'], 'TEXT'],
    [['12345678901234567890'], 'TEXT'],
    [['true', 'F'], 'BOOLEAN'],
    [['2024-02-29'], 'DATE'],
    [['2024-02-29 10:00', '2024-02-29T10:00:00.5'], 'TIMESTAMP'],
    [['2024-02-29T10:00:00Z', '2024-02-29 10:00:00+02'], 'TIMESTAMPTZ'],
    [['2024-02-29', '2024-02-29 10:00'], 'TEXT'],
    [['', ''], 'TEXT'],
    [['', '7'], 'BIGINT'],
  ];
  for (const [values, type] of cases) {
    const { columns } = inferTable(
      ['x'],
      values.map((value) => [value]),
    );
    expect(columns, values.join(' ')).toEqual([{ name: 'x', type }]);
  }
});

test('NULL markers and names of columns', () => {
  const plan = inferTable(
    ['Wind Speed', 'Größe', '', '2nd', 'wind speed'],
    [
      ['NA', '1', '', 'x', '2'],
      ['3', '2', 'y', '', '4'],
    ],
  );
  expect(plan.nullText).toBe('NA');
  expect(plan.columns).toEqual([
    { name: 'wind_speed', type: 'BIGINT' },
    { name: 'gro_e', type: 'BIGINT' },
    { name: 'column_3', type: 'TEXT' },
    { name: '_2nd', type: 'TEXT' },
    { name: 'wind_speed_2', type: 'BIGINT' },
  ]);
});

test('bytes of columns, wherever the chunks are cut', () => {
  const bytes = new TextEncoder().encode('a,b\n"1,\n2",ü\n3,');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const counter = new ColumnByteCounter(',');
    counter.count(bytes.subarray(0, cut));
    counter.count(bytes.subarray(cut));
    expect(counter.bytes, `cut at ${cut}`).toEqual([11, 5]);
  }
});

test('places in text with characters of two units', () => {
  expect(offsetOfPosition('SELECT x', 8)).toBe(7);
  expect(offsetOfPosition("'😀😀', x", 7)).toBe(8);
  expect(offsetOfPosition('ab', 9)).toBe(2);
  const tokens: [text: string, offset: number, end: number][] = [
    ['SELECT tempp FROM', 7, 12],
    ['a = 10.5 + b', 4, 8],
    ["x = 'it' y", 4, 8],
    ['"two words" x', 0, 11],
    ['a || b', 2, 3],
    ['a', 1, 1],
  ];
  for (const [text, offset, end] of tokens) expect(endOfToken(text, offset), text).toBe(end);
  expect(quoteIdentifier('a "b"')).toBe('"a ""b"""');
});

test('the rows that exist cover what is in sight, at every offset', () => {
  for (const rows of [0, 1, 10, 1000, 3_000_000]) {
    const rowPx = 28;
    const visiblePx = 434;
    const view = new RowWindow({ rows, rowPx, overscanRows: 6 });
    const scrollablePx = Math.max(0, view.heightPx - visiblePx);
    for (let step = 0; step <= 50; step += 1) {
      const scrollPx = (scrollablePx * step) / 50;
      const { first, count, topPx } = view.at(scrollPx, visiblePx);
      expect(count).toBeLessThanOrEqual(40);
      expect(first + count).toBeLessThanOrEqual(rows);
      if (first > 0) expect(topPx).toBeLessThanOrEqual(scrollPx);
      if (first + count < rows) {
        expect(topPx + count * rowPx).toBeGreaterThanOrEqual(scrollPx + visiblePx);
      }
    }
    const end = view.at(view.moved(0, rows, visiblePx), visiblePx);
    expect(end.first + end.count).toBe(rows);
    expect(view.moved(scrollablePx, -rows, visiblePx)).toBe(0);
  }
});

test('figures', () => {
  expect([0, 812, 999.6, 2_294_215, 5e9].map(formatBytes)).toEqual([
    '0 B',
    '812 B',
    '1.00 KB',
    '2.29 MB',
    '5.00 GB',
  ]);
  expect(formatRatio(1000, 100)).toBe('10.0× smaller');
  expect(formatRatio(100, 150)).toBe('1.5× larger');
  expect(formatRatio(100, 0)).toBe('');
});
