import { expect, test } from 'vitest';
import { types } from '../../src/types.js';
import { toParams } from '../../src/values/params.js';
import { converter, textOf } from '../../src/values/values.js';

const { BOOL, DATE, FLOAT8, INT4, INT8, TEXT, TIMESTAMP, TIMESTAMPTZ } = types;
const us = (iso: string) => Date.parse(iso) * 1000;

test('values have the text that PostgreSQL prints', () => {
  const cases = [
    [BOOL, true, 't'],
    [BOOL, false, 'f'],
    [INT4, -5, '-5'],
    [INT8, 9007199254740993n, '9007199254740993'],
    [TEXT, 'a', 'a'],
    [FLOAT8, 1, '1'],
    [FLOAT8, -0, '-0'],
    [FLOAT8, 0.1, '0.1'],
    [FLOAT8, 1e14, '100000000000000'],
    [FLOAT8, 1e15, '1e+15'],
    [FLOAT8, 1234567890123456, '1.234567890123456e+15'],
    [FLOAT8, 1e20, '1e+20'],
    [FLOAT8, 0.0001, '0.0001'],
    [FLOAT8, 0.00001, '1e-05'],
    [FLOAT8, 5e-324, '5e-324'],
    [FLOAT8, Number.NaN, 'NaN'],
    [FLOAT8, Number.NEGATIVE_INFINITY, '-Infinity'],
    [DATE, 0, '1970-01-01'],
    [DATE, -1, '1969-12-31'],
    [DATE, 11_016, '2000-02-29'],
    [DATE, -719_162, '0001-01-01'],
    [DATE, -719_163, '0001-12-31 BC'],
    [DATE, 2_932_896, '9999-12-31'],
    [DATE, 2_932_897, '10000-01-01'],
    [DATE, 2_147_483_647, 'infinity'],
    [DATE, -2_147_483_648, '-infinity'],
    [TIMESTAMP, -9_223_372_036_854_775_808n, '-infinity'],
    [TIMESTAMPTZ, 9_223_372_036_854_775_807n, 'infinity'],
    [TIMESTAMP, us('2013-01-01T05:06:07Z'), '2013-01-01 05:06:07'],
    [TIMESTAMP, 1_500_000, '1970-01-01 00:00:01.5'],
    [TIMESTAMP, -1, '1969-12-31 23:59:59.999999'],
    [TIMESTAMPTZ, us('2013-01-01T05:06:07Z') + 12, '2013-01-01 05:06:07.000012+00'],
    [TIMESTAMPTZ, -62_135_596_800_000_001n, '0001-12-31 23:59:59.999999+00 BC'],
  ] as const;
  for (const [type, raw, text] of cases) expect(textOf(raw, type)).toBe(text);
});

test('dates become Dates: date and timestamptz as UTC, timestamp as local time', () => {
  const local = new Date(2013, 0, 31, 23, 59, 1, 500);
  const ancient = new Date(2000, 0, 1, 1, 2, 3);
  ancient.setFullYear(33, 3, 3);
  const cases = [
    [DATE, 15_706, new Date('2013-01-01')],
    [TIMESTAMPTZ, us('2013-01-01T05:06:07.891Z') + 999, new Date('2013-01-01T05:06:07.891Z')],
    [TIMESTAMPTZ, 9_007_199_254_740_993n, new Date(9_007_199_254_740)],
    [TIMESTAMPTZ, -1, new Date(-1)],
    [TIMESTAMP, us('2013-01-31T23:59:01.500Z'), local],
    [TIMESTAMP, us('0033-04-03T01:02:03Z'), ancient],
  ] as const;
  for (const [type, raw, date] of cases) expect(converter(type, undefined)?.(raw)).toEqual(date);
});

test('a parser replaces the mapping of its type', () => {
  const parse = converter(DATE, { [DATE]: (text, type) => [text, type] });
  expect(parse?.(0)).toEqual(['1970-01-01', DATE]);
  expect(converter(INT4, { [DATE]: () => 0 })).toBeUndefined();
});

test('parameters', () => {
  const date = new Date('2013-01-01T05:06:07.891Z');
  const given = [null, undefined, true, 1.5, 5n, 'x', date, new Date('-000001-01-01T00:00:00Z')];
  const sent = [null, null, true, 1.5, 5n, 'x', date.toISOString(), '0002-01-01 00:00:00+00 BC'];
  expect(toParams(given)).toEqual(sent);
  expect(toParams(null)).toEqual([]);
  expect(toParams([[1, null, 'a b'], { a: [1] }])).toEqual([
    ['{"1",NULL,"a b"}', '[1,null,"a b"]'],
    '{"a":[1]}',
  ]);
  for (const bad of [Symbol('x'), () => 1, new Date(Number.NaN)]) {
    expect(() => toParams([1, bad])).toThrow(/argument \$2: it is an? /);
  }
});
