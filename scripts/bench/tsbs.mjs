// TSBS's DevOps queries in a tab, and rows that come in while policies run.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stop } from '../lib/stop.mjs';
import { inTab } from './tab.mjs';

const WINDOWS = 20;
const LIVE_SECONDS = 60;
const LIVE_ROWS_PER_SECOND = 100_000;

const number = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString();

/** The page of `docs/benchmarks`. */
export function tsbsPage({ rows, load, queries, live }) {
  const told = (figures) =>
    Object.entries(figures)
      .map(([name, value]) => `${name}: ${number(value)}`)
      .join(', ');
  const lines = queries.map(([name, figures]) => `| ${name} | ${number(figures['median ms'])} |\n`);
  return (
    `# TSBS in a tab\n\nWritten by \`npm run bench -- tsbs --rows ${rows}\`: one run in Chromium, in a new profile on ` +
    `disk; times are seen from the page. A hypertable of 100 hosts with 10 metrics, chunks of 8 hours, segments by host, ` +
    `compressed. Medians of ${WINDOWS} random windows.\n\nLoad: ${told(load)}.\n\n| query | ms |\n| --- | ---: |\n` +
    `${lines.join('')}\n## Rows that come in\n\n${number(LIVE_ROWS_PER_SECOND)} rows a second are offered for ` +
    `${LIVE_SECONDS} seconds, in one INSERT each tenth of a second, to a hypertable with policies of compression, ` +
    `retention and a continuous aggregate, each of which runs every 5 seconds. A query of the aggregate is asked each ` +
    `second; it waits for the INSERT before it.\n\n${told(live)}.\n`
  );
}

/** Loads so many rows, runs all queries, then the rows that come in. */
export async function tsbs({ rows: wanted, json, docs }) {
  const rows = Number(wanted);
  if (!(rows > 0)) throw new Stop('--rows takes a number');
  const result = await inTab('tsbs.html', async (page) => {
    const step = async (name, options) => {
      const figures = await page.evaluate(
        ([name, options]) => globalThis.steps[name](options),
        [name, options],
      );
      console.log(JSON.stringify({ step: name, ...options, ...figures }));
      return figures;
    };
    const load = await step('load', { rows });
    const queries = [];
    for (const name of await page.evaluate(() => globalThis.queries)) {
      queries.push([name, await step('query', { name, windows: WINDOWS })]);
    }
    const offered = { rowsPerSecond: LIVE_ROWS_PER_SECOND, seconds: LIVE_SECONDS };
    return { rows, load, queries, live: await step('live', offered) };
  });
  const text = tsbsPage(result);
  console.log(text);
  if (json) writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
  if (docs) {
    mkdirSync(docs, { recursive: true });
    writeFileSync(join(docs, 'tsbs-browser.md'), text);
  }
  return 0;
}
