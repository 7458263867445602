// Processor time of the engine's thread: unlike what a page waits for, it is nearly the same while others use the
// machine. Linux only.

import { readdirSync, readFileSync } from 'node:fs';
import { queriesOf } from '../../tests/bench/browser/pages/queries.mjs';
import { Stop } from '../lib/stop.mjs';

const THREAD = 'DedicatedWorker';
const PASSES = 5;
const LOOKUPS = 2000;
const INSERTS = 200;
/** Rounds of inserts after the first one, in which the page's functions are compiled. */
const LATER_ROUNDS = 5;
const NS_IN_MS = 1e6;

/** Milliseconds that the threads of workers in the processes `pids` have had a processor. */
function workerMs(pids) {
  let ns = 0;
  let found = 0;
  for (const pid of pids) {
    const tasks = `/proc/${pid}/task`;
    for (const task of readdirSync(tasks)) {
      if (readFileSync(`${tasks}/${task}/comm`, 'utf8').trim() !== THREAD) continue;
      ns += Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]);
      found += 1;
    }
  }
  if (found !== 1) throw new Stop(`there are ${found} threads of workers, not one`);
  return ns / NS_IN_MS;
}

async function renderersOf(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/** The processor time that the worker of `page` takes for `work`. */
async function msOf(page, work) {
  const pids = await renderersOf(page);
  const before = workerMs(pids);
  await work();
  return workerMs(pids) - before;
}

/** Runs the case called `name`; answers its processor time. */
async function caseMs(page, name, options) {
  await page.addScriptTag({ url: '/cases.mjs', type: 'module' });
  return msOf(page, () =>
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
      values.push(await msOf(page, () => page.evaluate((sql) => window.db.query(sql), sql)));
    }
    figures[name] = { unit: 'ms', values, answer: known[name].answer };
  }
  return figures;
}

const oneOf = (ms, count) => (ms / count) * 1e3;

/** The load, the queries, lookups and inserts on the open `page`, and `reload` between them. */
export async function workerFigures(page, { rows, dialect }, reload) {
  const load = await caseMs(page, 'load', { rows, dialect });
  const figures = { 'bulk load': { unit: 'rows/s', values: [(rows / load) * 1e3] } };
  Object.assign(figures, await queryFigures(page, dialect));
  const lookups = await caseMs(page, 'lookups', { rows });
  figures['lookup by primary key'] = { unit: 'us', values: [oneOf(lookups, LOOKUPS)] };
  await reload();
  const first = await caseMs(page, 'inserts', { rows });
  figures['insert of one row'] = { unit: 'us', values: [oneOf(first, INSERTS)] };
  const later = [];
  for (let round = 1; round <= LATER_ROUNDS; round += 1) {
    const ms = await caseMs(page, 'inserts', { rows: rows + round * INSERTS });
    later.push(oneOf(ms, INSERTS));
  }
  figures['insert of one row, later'] = { unit: 'us', values: later };
  return figures;
}
