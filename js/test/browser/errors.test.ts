import { VarveError } from 'varvedb';
import { expect, test } from 'vitest';
import { create, rejection } from './stores.js';

test('errors of statements have code, position and the statement', async () => {
  const db = await create();
  await db.exec('CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL)');
  const cases = [
    ['SELEC 1', [], '42601', 1],
    ['SELECT nme FROM item', [], '42703', 8],
    ['SELECT 1 FROM missing', [], '42P01', 15],
    ["SELECT '\u{1F600}', nme FROM item", [], '42703', 13],
    ['SELECT 1 / 0', [], '22012', undefined],
    ['SELECT id FROM item WHERE id = $1', ['x'], '22P02', undefined],
    ['SELECT id FROM item WHERE id = $1', [], '08P01', undefined],
    ['SELECT 1; SELECT 2', [], '42601', undefined],
  ] as const;
  for (const [sql, params, code, position] of cases) {
    const error = await rejection(db.query(sql, params).then(() => expect.fail(sql)));
    expect(error).toBeInstanceOf(VarveError);
    expect(error).toMatchObject({ name: 'VarveError', kind: 'statement', code, query: sql });
    if (position !== undefined) expect(error).toMatchObject({ position });
  }
  const misspelt = (await rejection(db.query('SELECT nme FROM item'))) as VarveError;
  expect(misspelt.snippet()).toBe('SELECT nme FROM item\n       ^');
  const inScript = await rejection(db.exec('SELECT 1;\nSELECT nme FROM item'));
  expect((inScript as VarveError).snippet()).toBe('SELECT nme FROM item\n       ^');
});

test('errors of constraints name table, column and constraint', async () => {
  const db = await create();
  await db.exec('CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL)');
  await db.exec("INSERT INTO item VALUES (1, 'tea')");
  expect(await rejection(db.exec("INSERT INTO item VALUES (1, 'oil')"))).toMatchObject({
    code: '23505',
    table: 'item',
    constraint: 'item_pkey',
    detail: expect.stringContaining('(id)=(1)'),
  });
  expect(await rejection(db.exec('INSERT INTO item VALUES (2, NULL)'))).toMatchObject({
    code: '23502',
    table: 'item',
    column: 'name',
  });
});

test('a parameter that no type can hold is refused by name', async () => {
  const db = await create();
  expect(await rejection(db.query('SELECT $1::text', [() => 1]))).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('argument $1'),
  });
});
