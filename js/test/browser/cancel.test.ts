import { expect, test } from 'vitest';
import { create, rejection } from './stores.js';

const CANCELED = { name: 'VarveError', code: '57014', kind: 'canceled' };

test('a signal that was raised before stops the call before it starts', async () => {
  const db = await create();
  const signal = AbortSignal.abort('bored');
  const error = await rejection(db.query('SELECT 1', [], { signal }));
  expect(error).toMatchObject({ ...CANCELED, cause: 'bored' });
});

// B6
test('a statement that runs, and one that waits for it, are canceled; the next one is answered', async () => {
  const db = await create();
  await db.exec('CREATE TABLE n (x int)');
  await db.copyFrom('n', Array.from({ length: 20_000 }, (_, x) => `${x}\n`).join(''));
  const [running, waiting] = [new AbortController(), new AbortController()];
  // Joined on an expression of both sides, the rows are compared pair by pair.
  const sql = 'SELECT count(*) AS c FROM n a JOIN n b ON a.x + b.x < 0';
  const calls = [
    db.query(sql, [], { signal: running.signal }),
    db.query('SELECT 1', [], { signal: waiting.signal }),
    db.query('SELECT 2 AS two'),
  ] as const;
  const errors = Promise.all([rejection(calls[0]), rejection(calls[1])]);
  setTimeout(() => {
    waiting.abort();
    running.abort();
  }, 30);
  expect(await errors).toMatchObject([CANCELED, CANCELED]);
  expect((await calls[2]).rows).toEqual([{ two: 2 }]);
});
