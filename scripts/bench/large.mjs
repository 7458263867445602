// A store far larger than memory in a tab: what each step takes, of time and of memory.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stop } from '../lib/stop.mjs';
import { inTab } from './tab.mjs';

const SAMPLE_MS = 100;
const MEMORY_LIMIT = 256e6;
const GIB = 2 ** 30;
/** Bytes of text that are stored in one byte: its characters are of six bits. */
const TEXT_RATIO = 4 / 3;

/** The steps by their names in the page, with what they do in words. */
const STEPS = {
  load: 'bulk load of rows of 2 KiB',
  totals: 'count, and sum of a column, of all rows',
  lookups: '1,000 lookups of random rows by key',
  ranges: 'aggregates over 9 random ranges of 64 MiB',
  scan: 'one read of everything',
  object: 'a large object of 300 MiB, in and out',
  update: 'update of every 20th row',
  compact: 'VACUUM FULL',
  'lookups again': '1,000 lookups of random rows by key',
  reopen: 'close, open and look one row up, 5 times',
};

/** Bytes that only this process has in memory now: what the browser's task manager shows. */
function ownMemoryOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
    return bytes('RssAnon') + bytes('VmSwap');
  } catch {
    // The process has ended.
    return 0;
  }
}

const mebibytes = (bytes) => Math.round(bytes / 2 ** 20);

/** Runs every step in `page`, whose renderers are `pids`. */
async function measured(page, pids, options) {
  const results = [];
  let renderer = 0;
  const timer = setInterval(() => {
    renderer = Math.max(renderer, ...pids.map(ownMemoryOf));
  }, SAMPLE_MS);
  try {
    for (const [step, what] of Object.entries(STEPS)) {
      renderer = 0;
      const start = performance.now();
      const figures = await page.evaluate(
        ([name, options]) => globalThis.steps[name](options),
        [step.split(' ')[0], options],
      );
      const seconds = (performance.now() - start) / 1000;
      const memory = await page.evaluate(() => globalThis.memory());
      const result = { step, what, seconds, figures, ...memory, renderer: mebibytes(renderer) };
      console.log(JSON.stringify(result));
      results.push(result);
    }
  } finally {
    clearInterval(timer);
  }
  return results;
}

const number = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString();

/** The page of `docs/benchmarks`. */
export function largePage(results, gigabytes) {
  const cells = ({ what, seconds, figures, wasm, booked, renderer }) => {
    const told = Object.entries(figures).map(([name, value]) => {
      const [, before = '', unit] = /^(.* )?(\S+)$/.exec(name);
      return `${before}${number(value)} ${unit}`;
    });
    return [what, number(seconds), told.join(', '), ...[wasm, booked, renderer].map(number)];
  };
  const head = ['step', 'seconds', 'figures', 'wasm, MiB', 'booked, MiB', 'renderer, MiB'];
  const rule = ['---', '---:', '---', '---:', '---:', '---:'];
  const lines = [head, rule, ...results.map(cells)].map((line) => `| ${line.join(' | ')} |\n`);
  const before = results.filter(({ step }) => step !== 'reopen');
  const peak = Math.max(...before.map(({ wasm }) => wasm));
  return (
    `# A store of ${gigabytes} GiB in a tab\n\n` +
    `Written by \`npm run bench -- large --gigabytes ${gigabytes}\`: one run in Chromium, in a new profile on disk, with ` +
    `\`memoryLimit\` ${number(MEMORY_LIMIT / 1e6)} MB; times are seen from the page, what goes to a worker and back ` +
    'counts. Rows have random text of six bits a character, so that no codec makes it smaller than three quarters; ' +
    'stored is what is left. The steps come in this order, on one open database; only the last one opens it anew.\n\n' +
    `The memory of the engine (wasm) never shrinks: ${number(peak)} MiB is also the most that there was before the ` +
    'last step. Booked is what the account of `memoryLimit` has at the end of the step, caches included: the rest is ' +
    'gaps between values of many sizes; renderer is ' +
    'the most that the process of the tab took meanwhile, the page that makes the rows included.\n\n' +
    lines.join('')
  );
}

/** Loads rows of which `gigabytes` are stored, and tells time and memory of each step. */
export async function large({ gigabytes, json, docs }) {
  const size = Number(gigabytes);
  if (!(size > 0)) throw new Stop('--gigabytes takes a number');
  const options = { bytes: size * GIB * TEXT_RATIO, memoryLimit: MEMORY_LIMIT };
  const results = await inTab('large.html', async (page, context) => {
    const devtools = await context.browser()?.newBrowserCDPSession();
    const session = devtools ?? (await context.newCDPSession(page));
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const pids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    return measured(page, pids, options);
  });
  const text = largePage(results, size);
  console.log(text);
  if (json) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  if (docs) {
    mkdirSync(docs, { recursive: true });
    writeFileSync(join(docs, 'large.md'), text);
  }
  return 0;
}
