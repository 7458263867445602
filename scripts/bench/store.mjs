// The store in Chromium beside SQLite on OPFS and raw IndexedDB, each in a profile of its own on disk.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { serveFolders } from '../../tests/bench/browser/serve.mjs';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { runTool } from '../lib/wasm-module.mjs';
import { findChromium } from '../setup/chromium.mjs';
import { buildBenchModule } from './module.mjs';

const ENGINES = [
  'VarveDB in its worker',
  'VarveDB from the page',
  'sqlite-wasm',
  'wa-sqlite',
  'raw IndexedDB',
];
const ROWS = { XS: 10_000, S: 100_000, M: 1_000_000 };
const HIGHER_IS_BETTER = 'rows/s';

function folderBytes(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Bytes of everything that pages of this profile keep. */
function storedBytes(profile) {
  return ['IndexedDB', 'File System']
    .map((name) => join(profile, 'Default', name))
    .filter(existsSync)
    .reduce((sum, folder) => sum + folderBytes(folder), 0);
}

async function measure(name, url, options) {
  const profile = mkdtempSync(join(tmpdir(), 'varve-bench-profile-'));
  try {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium(),
      headless: true,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
    });
    const page = await context.newPage();
    await page.goto(url);
    await page.evaluate(() => window.ready);
    const figures = await page
      .workers()[0]
      .evaluate(([engine, work]) => globalThis.bench(engine, work), [name, options]);
    await context.close();
    const rows = ROWS[options.size] + options.smallCommits;
    const perRow = storedBytes(profile) / rows;
    return [...figures, { name: 'on disk at the end', unit: 'bytes/row', value: perRow }];
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const threeDigits = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString();

/** Cases by line, engines by column, and how much better ours inside its worker is than the best SQLite. */
export function table(results) {
  const engines = Object.keys(results);
  const names = [...new Set(engines.flatMap((engine) => results[engine].map(({ name }) => name)))];
  const figure = (engine, name) => results[engine]?.find((each) => each.name === name);
  const lines = names.map((name) => {
    const unit = engines.map((engine) => figure(engine, name)?.unit).find(Boolean);
    const cells = engines.map((engine) => {
      const value = figure(engine, name)?.value;
      return value === undefined ? '' : threeDigits(value);
    });
    const ours = figure('VarveDB in its worker', name)?.value;
    const peers = ['sqlite-wasm', 'wa-sqlite'].map((peer) => figure(peer, name)?.value);
    const ratios = peers
      .filter((peer) => peer !== undefined)
      .map((peer) => (unit === HIGHER_IS_BETTER ? ours / peer : peer / ours));
    const ratio = ours === undefined || ratios.length === 0 ? '' : threeDigits(Math.min(...ratios));
    return `| ${[name, unit, ...cells, ratio].join(' | ')} |`;
  });
  const head = ['case', 'unit', ...engines, 'times the better SQLite'];
  const rule = head.map((_, at) => (at < 2 ? '---' : '---:'));
  return `| ${head.join(' | ')} |\n| ${rule.join(' | ')} |\n${lines.join('\n')}\n`;
}

/** Measures the engines whose names begin with one of `names`, or all. */
export async function store({ size, json, docs }, names) {
  const peers = join(root, 'tests/bench/browser');
  // The peers are no part of the workspace: what ships and its tests never install them.
  await runTool('npm', ['ci', '--ignore-scripts', '--prefix', peers], toolEnvironment());
  await runTool('npm', ['run', 'build', '--workspace', 'varvedb'], toolEnvironment());
  const module = await buildBenchModule('wasm', 'web');
  const modules = join(peers, 'node_modules');
  const server = await serveFolders({
    'js/': join(root, 'js/dist'),
    'sqlite/': join(modules, '@sqlite.org/sqlite-wasm/dist'),
    'wa/': join(modules, '@journeyapps/wa-sqlite'),
    '': peers,
    'bench/': module,
  });
  const url = `http://127.0.0.1:${server.address().port}/page.html`;
  const wanted = (engine) => names.length === 0 || names.some((name) => engine.startsWith(name));
  const results = {};
  try {
    for (const engine of ENGINES.filter(wanted)) {
      const rows = ROWS[size];
      const options = { size, updates: Math.min(rows, 100_000), smallCommits: 10_000 };
      results[engine] = await measure(engine, url, options);
      console.log(engine, results[engine]);
    }
  } finally {
    server.close();
    rmSync(module, { recursive: true, force: true });
  }
  const text = table(results);
  console.log(text);
  if (json) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  if (docs) {
    mkdirSync(docs, { recursive: true });
    const head =
      '# The store in Chromium\n\n' +
      `Written by \`npm run bench -- store --size ${size}\`: wall time, medians, each engine in a browser profile of its own ` +
      'on disk. SQLite keeps its file in OPFS: sqlite-wasm by its pool of access handles, wa-sqlite by its write-ahead ' +
      'VFS. Strict is `synchronous` FULL, relaxed OFF and NORMAL; raw IndexedDB puts one object a row.\n\n' +
      'A strict insert of one row waits for the disk once in VarveDB, raw IndexedDB and wa-sqlite, which flushes its ' +
      'log, and six times in sqlite-wasm, which flushes its journal too (three times where it is OFF). But a transaction ' +
      'of IndexedDB goes to another process of the browser and back, while a call of OPFS returns in the same thread: ' +
      'the column of raw IndexedDB says what nothing on IndexedDB can go below.\n\n';
    writeFileSync(join(docs, 'store-browser.md'), head + text);
  }
  return 0;
}
