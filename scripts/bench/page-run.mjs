// One run of the pages of one engine, in a browser profile of its own on disk.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { CHROMIUM_ARGS, findChromium } from '../setup/chromium.mjs';
import { workerFigures } from './worker-time.mjs';

const RELOADS = 3;
/** The first reload is the one after which the browser keeps what it compiled. */
const RELOADS_LEFT_OUT = 1;

/** What the page's first query took, waited for. */
function started(page) {
  return page.evaluate(() => {
    if (!window.started) throw new Error('a script of the page could not be loaded');
    return window.started;
  });
}

/** Milliseconds to the first answer, and what was fetched for it and afterwards. */
async function coldStart(page, { server, html }) {
  // Processes of the browser, of the page's site too, are not the package's to start.
  await page.goto(`${server.url}/blank.html`);
  server.served.length = 0;
  await page.goto(`${server.url}/${html}`);
  return started(page);
}

async function reloads(page, { server, html }, rows) {
  await page.goto(`${server.url}/${html}?id=${rows >> 1}`);
  await started(page);
  const values = [];
  for (let reload = 0; reload < RELOADS; reload += 1) {
    await page.reload();
    values.push((await started(page)).ms);
  }
  return { 'reload, first lookup': { unit: 'ms', values: values.slice(RELOADS_LEFT_OUT) } };
}

async function runCase(page, name, options) {
  await page.addScriptTag({ url: '/cases.mjs', type: 'module' });
  return page.evaluate(([name, options]) => globalThis.cases[name](options), [name, options]);
}

/** The processor time of the engine's thread in all cases after the start, and what was served. */
async function runInWorker(page, engine, { rows }) {
  await coldStart(page, engine);
  const options = { rows, dialect: engine.dialect };
  const figures = await workerFigures(page, options, () => reloads(page, engine, rows));
  return { figures, fetched: [] };
}

/** Runs the cases called `wanted` in `page`; answers figures by their names, and what was served. */
async function runCases(page, engine, { rows, wanted, processor }) {
  if (processor) return runInWorker(page, engine, { rows });
  const first = await coldStart(page, engine);
  const figures = { 'cold start': { unit: 'ms', values: [first.ms] } };
  const options = { rows, dialect: engine.dialect };
  const needsRows = wanted.some((name) => name !== 'start');
  // Cases on rows need the load, whether it was asked for or not.
  const names = needsRows ? ['load', ...wanted] : [];
  for (const name of ['load', 'queries', 'lookups']) {
    if (names.includes(name)) Object.assign(figures, await runCase(page, name, options));
  }
  const fetched = engine.server.served.map(({ at, ...file }) => ({
    ...file,
    early: at <= first.answeredAt,
  }));
  if (names.includes('reload')) Object.assign(figures, await reloads(page, engine, rows));
  // Last, so that the other cases have the same rows in every run.
  if (names.includes('inserts')) Object.assign(figures, await runCase(page, 'inserts', options));
  return { figures, fetched };
}

/** Measures `engine`, `{ server, html, dialect }`, once. */
export async function runPages(engine, options) {
  const profile = mkdtempSync(join(tmpdir(), 'varve-bench-profile-'));
  try {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium(),
      headless: true,
      args: CHROMIUM_ARGS,
    });
    try {
      return await runCases(await context.newPage(), engine, options);
    } finally {
      await context.close();
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
