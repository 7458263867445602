import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readResults } from '../../src/values/result.js';
import { nameAt, textAt } from '../../src/values/text.js';

/** The message that `crates/varve-wasm/src/result.rs` is tested to write. */
function golden(): Uint8Array<ArrayBuffer> {
  const text = readFileSync(join(import.meta.dirname, '..', 'result.hex'), 'utf8');
  return new Uint8Array(Buffer.from(text.replaceAll(/[^0-9a-f]/g, ''), 'hex'));
}

const rows = [
  [true, -1, 1, 1.5, 'ab', '\u{e9}', 'x', 3],
  [false, null, -2, -0, 'c', null, 'x', 3],
];

test('every form and layout is read', () => {
  const [result, ...others] = readResults(golden(), { rowMode: 'array' });
  expect(others).toEqual([]);
  expect(result).toEqual({
    rows,
    fields: [16, 23, 20, 701, 25, 25, 25, 23].map((dataTypeID) => ({ name: 'c', dataTypeID })),
    affectedRows: 0,
    command: 'SELECT',
    rowCount: 2,
  });
});

test('a message that does not begin on a border of 8 bytes is read too', () => {
  const bytes = golden();
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  expect(readResults(shifted.subarray(1), { rowMode: 'array' })[0]?.rows).toEqual(rows);
});

test('of columns with one name, an object has the last', () => {
  expect(readResults(golden(), {})[0]?.rows).toEqual([{ c: 3 }, { c: 3 }]);
});

test('parsers get the text of values, dictionaries included, but never NULL', () => {
  const parse = (text: string) => `<${text}>`;
  const [result] = readResults(golden(), {
    rowMode: 'array',
    parsers: { 16: parse, 20: parse, 25: parse },
  });
  expect(result?.rows).toEqual([
    ['<t>', -1, '<1>', 1.5, '<ab>', '<\u{e9}>', '<x>', 3],
    ['<f>', null, '<-2>', -0, '<c>', null, '<x>', 3],
  ]);
});

test('a message of another version is refused', () => {
  const bytes = golden();
  bytes[3] = 0x31;
  expect(() => readResults(bytes, {})).toThrow('of different versions');
});

test('names are read as they are, however often others come between', () => {
  const encoder = new TextEncoder();
  // Some share a slot of what is remembered; one begins with the other; one is not ASCII.
  const names = [
    'id',
    'idx',
    'price',
    '\u{e9}t\u{e9}',
    '',
    ...Array.from({ length: 600 }, (_, i) => `c${i}`),
  ];
  for (const name of [...names, ...[...names].reverse()]) {
    const bytes = encoder.encode(`-${name}-`);
    expect(nameAt(bytes, 1, bytes.length - 2)).toBe(name);
  }
});

test('texts are read whatever their length and characters', () => {
  const encoder = new TextEncoder();
  for (const text of [
    '',
    'a',
    '\u{feff}a',
    '\u{1f600}',
    'x'.repeat(24),
    'x'.repeat(25),
    '\u{e9}'.repeat(30),
  ]) {
    const bytes = encoder.encode(text);
    expect(textAt(bytes, 0, bytes.length)).toBe(text);
  }
});
