import { VarveError } from 'varvedb';
import { expect, test } from 'vitest';

test('an error says what kind it is of', () => {
  const cases = [
    ['42703', 'statement'],
    ['22P02', 'statement'],
    ['40001', 'conflict'],
    ['57014', 'canceled'],
    ['08P01', 'statement'],
    ['53100', 'storage'],
    ['XX001', 'storage'],
    ['XX000', 'internal'],
    ['08003', 'unavailable'],
    ['store_locked', 'unavailable'],
    ['worker_died', 'unavailable'],
  ] as const;
  for (const [code, kind] of cases) expect(new VarveError({ code, message: '' }).kind).toBe(kind);
});

test('an error carries which failure it was, if it was one', () => {
  const fenced = new VarveError({ code: 'store_locked', message: '', failure: 'fenced' });
  expect(fenced.failure).toBe('fenced');
  expect(new VarveError({ code: '42703', message: '' }).failure).toBeUndefined();
});

test('the snippet shows the line and the place, which counts characters', () => {
  const cases = [
    ['SELECT x', 8, 'SELECT x\n       ^'],
    ['SELECT 1,\n\tbad\nFROM t', 12, '\tbad\n\t^'],
    ["SELECT '\u{1F600}', x", 13, "SELECT '\u{1F600}', x\n            ^"],
    ['SELECT', 7, 'SELECT\n      ^'],
  ] as const;
  for (const [query, position, snippet] of cases) {
    const error = new VarveError({ code: '42601', message: 'm', position }, { query });
    expect(error.snippet()).toBe(snippet);
  }
  expect(new VarveError({ code: '42601', message: 'm' }, { query: 'x' }).snippet()).toBe('');
});
