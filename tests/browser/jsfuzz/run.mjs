// Calls every entry of the package with values of any kind: `node run.mjs [--calls N] [--seed N]`.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { serve } from '../kv/serve.mjs';

const HERE = import.meta.dirname;
const DIST = join(HERE, '../../../js/dist');
/** A new page for so many calls, so that a run of many does not grow. */
const CALLS_PER_PAGE = 5_000;

/** Runs in a page of `context` what `fuzz.mjs` offers. */
export async function fuzzIn(context, { seed, calls, plant }) {
  const server = await serve([HERE, DIST]);
  const page = await context.newPage();
  page.setDefaultTimeout(0);
  await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
  await page.waitForFunction(() => globalThis.isLoaded);
  const report = await page.evaluate((given) => globalThis.fuzz(given), { seed, calls, plant });
  await page.close();
  server.close();
  return report;
}

async function main() {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [calls, seed] = [Number(values.calls), Number(values.seed)];
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const context = await browser.newContext();
  const total = { answered: 0, refused: 0, failed: 0 };
  const problems = [];
  for (let done = 0; done < calls && problems.length === 0; done += CALLS_PER_PAGE) {
    const part = Math.min(CALLS_PER_PAGE, calls - done);
    const { problems: found, ...counts } = await fuzzIn(context, {
      seed: seed + done,
      calls: part,
    });
    for (const [name, count] of Object.entries(counts)) total[name] += count;
    problems.push(...found.map((problem) => ({ seed: seed + done, ...problem })));
    console.log(`${done + part} calls: ${JSON.stringify(total)}`);
  }
  await browser.close();
  for (const problem of problems) console.error(JSON.stringify(problem));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) await main();
