import { expect, test } from 'vitest';
import { create, freshDataDir } from './stores.js';

const JOB = `
  CREATE TABLE log (job int);
  CREATE PROCEDURE note(job_id int, config jsonb) LANGUAGE sql AS $$ INSERT INTO log VALUES (job_id) $$`;
const COUNT = 'SELECT count(*)::int AS n FROM log';

test('a job runs in the background', async () => {
  const db = await create(freshDataDir('idb'));
  await db.exec(`${JOB}; SELECT add_job('note', '50 milliseconds', fixed_schedule => false)`);
  await expect
    .poll(async () => (await db.query<{ n: number }>(COUNT)).rows[0]?.n)
    .toBeGreaterThan(2);
  await db.query('SELECT delete_job(1000)');
});

test('maintenance runs what is due, and says whether anything is left', async () => {
  const db = await create(freshDataDir('memory'));
  await db.exec(`${JOB}; SELECT add_job('note', '1 day', initial_start => '2100-01-01')`);
  expect(await db.maintenance()).toEqual({ isIdle: true });
  expect((await db.query(COUNT)).rows).toEqual([{ n: 0 }]);
  await db.query('SELECT alter_job(1000, next_start => now())');
  await db.maintenance({ budgetMs: 1000 });
  await expect.poll(async () => (await db.query<{ n: number }>(COUNT)).rows[0]?.n).toBe(1);
  await expect(async () => db.maintenance({ budgetMs: 0 })).rejects.toThrow('budgetMs');
});
