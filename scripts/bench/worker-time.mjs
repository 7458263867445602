// Processor time of the engine's thread, and of those that compile beside it: unlike what a page waits for, it is nearly
// the same while others use the machine. Linux only.

import { readdirSync, readFileSync } from 'node:fs';
import { queriesOf } from '../../tests/bench/browser/pages/queries.mjs';
import { Stop } from '../lib/stop.mjs';

const WORKER = 'DedicatedWorker';
/** Threads of a renderer that optimise functions while the engine runs. */
const POOL = 'ThreadPoolForeg';
const PASSES = 5;
const LOOKUPS = 2000;
const INSERTS = 200;
/** Rounds of inserts after the first one, in which functions are compiled and soon optimised. */
const LATER_ROUNDS = 5;
const NS_IN_MS = 1e6;

/** Milliseconds that threads of a kind in the processes `pids` have had a processor. */
function threadsMs(pids, kind) {
  let ns = 0;
  for (const pid of pids) {
    const tasks = `/proc/${pid}/task`;
    for (const task of readdirSync(tasks)) {
      try {
        if (readFileSync(`${tasks}/${task}/comm`, 'utf8').trim() !== kind) continue;
        ns += Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]);
      } catch {
        // The thread has ended meanwhile.
      }
    }
  }
  return ns / NS_IN_MS;
}

async function renderersOf(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/** The processor time, in ms, that the worker of `page` takes for `work`, and what is compiled beside it. */
async function timesOf(page, work) {
  const pids = await renderersOf(page);
  const now = () => ({ worker: threadsMs(pids, WORKER), beside: threadsMs(pids, POOL) });
  const before = now();
  if (before.worker === 0) throw new Stop('the thread of the worker was not found');
  await work();
  const after = now();
  return { worker: after.worker - before.worker, beside: after.beside - before.beside };
}

/** The times of the case called `name`. */
async function caseTimes(page, name, options) {
  await page.addScriptTag({ url: '/cases.mjs', type: 'module' });
  return timesOf(page, () =>
    page.evaluate(([name, options]) => globalThis.cases[name](options), [name, options]),
  );
}

async function queryFigures(page, dialect) {
  // Answers, and functions compiled.
  const known = await page.evaluate((dialect) => globalThis.cases.queries({ dialect }), dialect);
  const figures = {};
  for (const [name, sql] of queriesOf(dialect)) {
    const values = [];
    for (let pass = 0; pass < PASSES; pass += 1) {
      const run = () => page.evaluate((sql) => window.db.query(sql), sql);
      values.push((await timesOf(page, run)).worker);
    }
    figures[name] = { unit: 'ms', values, answer: known[name].answer };
  }
  return figures;
}

const microseconds = (ms, count) => ({ unit: 'us', values: [(ms / count) * 1e3] });

/** The load, the queries, lookups and inserts on the open `page`, and `reload` between them. */
export async function workerFigures(page, { rows, dialect }, reload) {
  const load = await caseTimes(page, 'load', { rows, dialect });
  const figures = { 'bulk load': { unit: 'rows/s', values: [(rows / load.worker) * 1e3] } };
  Object.assign(figures, await queryFigures(page, dialect));
  const lookups = await caseTimes(page, 'lookups', { rows });
  figures['lookup by primary key'] = microseconds(lookups.worker, LOOKUPS);
  await reload();
  const first = await caseTimes(page, 'inserts', { rows });
  figures['insert of one row'] = microseconds(first.worker, INSERTS);
  figures['compiled beside it'] = microseconds(first.beside, INSERTS);
  const later = { worker: 0, beside: 0 };
  for (let round = 1; round <= LATER_ROUNDS; round += 1) {
    const times = await caseTimes(page, 'inserts', { rows: rows + round * INSERTS });
    later.worker += times.worker;
    later.beside += times.beside;
  }
  figures['insert of one row, later'] = microseconds(later.worker, LATER_ROUNDS * INSERTS);
  figures['compiled beside it, later'] = microseconds(later.beside, LATER_ROUNDS * INSERTS);
  return figures;
}
