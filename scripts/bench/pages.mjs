// What an application's page waits for, of builds of the package side by side and of SQLite on OPFS.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serveCompressed } from '../../tests/bench/browser/serve-compressed.mjs';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { Stop } from '../lib/stop.mjs';
import { runTool } from '../lib/wasm-module.mjs';
import { byteTable, caseTable, differences } from './page-report.mjs';
import { runPages } from './page-run.mjs';

const BROWSER = join(root, 'tests/bench/browser');
const PEER = 'sqlite-wasm';
const ENCRYPTED = 'encrypted';
const CASES = ['start', 'load', 'queries', 'lookups', 'reload', 'inserts'];
/** What every build has. */
const BUILT = ['index.js', 'worker.js', 'varve_bg.wasm'];

export function positiveInt(option, text) {
  const value = Number(text);
  if (!(Number.isSafeInteger(value) && value > 0)) {
    throw new Stop(`--${option} takes a whole number above 0, not ${text}`);
  }
  return value;
}

/** The cases to run: all, or those that are named. */
export function casesNamed(names) {
  const unknown = names.find((name) => !CASES.includes(name));
  if (unknown !== undefined) {
    throw new Stop(`there is no case ${unknown}: name some of ${CASES.join(', ')}`);
  }
  return names.length === 0 ? CASES : names;
}

/** Folders of builds by their names, from `NAME=FOLDER` each. */
export function buildsOf(given) {
  const builds = {};
  for (const text of given) {
    const at = text.indexOf('=');
    const [name, folder] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 1 || folder === '') throw new Stop(`--build takes NAME=FOLDER, not ${text}`);
    if (name in builds || name === PEER || name === ENCRYPTED)
      throw new Stop(`two engines are called ${name}`);
    const missing = BUILT.find((file) => !existsSync(join(folder, file)));
    if (missing !== undefined) throw new Stop(`the build ${name} has no ${missing} in ${folder}`);
    builds[name] = resolve(folder);
  }
  return builds;
}

/** Engines by their names, each with a server, and so an origin, of its own. */
async function serveEngines(builds, { hasPeer, encrypted }) {
  const pages = join(BROWSER, 'pages');
  const served = (folder) => serveCompressed({ '': pages, 'package/': folder });
  const engines = {};
  for (const [name, folder] of Object.entries(builds)) {
    engines[name] = { server: await served(folder), html: 'varve.html', dialect: 'varve' };
  }
  if (encrypted) {
    const [folder] = Object.values(builds);
    engines[ENCRYPTED] = {
      server: await served(folder),
      html: 'varve-encrypted.html',
      dialect: 'varve',
    };
  }
  if (hasPeer) {
    const dist = join(BROWSER, 'node_modules/@sqlite.org/sqlite-wasm/dist');
    engines[PEER] = { server: await served(dist), html: 'sqlite.html', dialect: 'sqlite' };
  }
  return engines;
}

/** Runs of each engine by its name; the engines take turns, so that all meet what else the machine does. */
async function measured(engines, runs, options) {
  const results = Object.fromEntries(Object.keys(engines).map((name) => [name, []]));
  for (let run = 1; run <= runs; run += 1) {
    for (const [name, engine] of Object.entries(engines)) {
      console.log(`run ${run} of ${runs}: ${name}`);
      results[name].push(await runPages(engine, options));
    }
  }
  return results;
}

function pageOf(results, { rows, runs }) {
  return (
    '# What a page waits for\n\n' +
    `Written by \`npm run bench -- pages --rows ${rows} --runs ${runs}\`: medians of ${runs} runs in Chromium, each in a ` +
    'new profile on disk, in the page: what goes to a worker and back counts. Commits are relaxed. ' +
    `A cold start is a new profile's first answer; files come compressed from this machine, so the network is not in it.\n\n` +
    `${caseTable(results, PEER)}\n## Files\n\nBytes, brotli at quality 11.\n\n${byteTable(results)}`
  );
}

function encryptedPageOf(results, { rows, runs, names }) {
  const command = `npm run bench -- pages --encrypted --rows ${rows} --runs ${runs}`;
  return (
    '# What encryption costs a page\n\n' +
    `Written by \`${[command, ...names].join(' ')}\`: medians of ${runs} runs in ` +
    'Chromium, each in a new profile on disk, a database in clear and an encrypted one in turn. WebCrypto encrypts ' +
    'each value. A start stretches the passphrase, in 600,000 rounds of PBKDF2; with a key it would not. ' +
    `It also waits for the second part of the engine, which has the encryption.\n\n${caseTable(results, PEER)}`
  );
}

function processorPageOf(results, { rows, runs }) {
  return (
    `Written by \`npm run bench -- pages --processor --rows ${rows} --runs ${runs}\`: medians of ${runs} runs in ` +
    `Chromium. Processor time of the engine's thread, in which functions are compiled when they first run.\n\n` +
    caseTable(results, PEER)
  );
}

/** The page that a run writes: its file, and what makes its text. */
function pageFor({ processor, encrypted }) {
  if (processor) return { name: 'processor.md', write: processorPageOf };
  if (encrypted) return { name: 'encryption-browser.md', write: encryptedPageOf };
  return { name: 'pages.md', write: pageOf };
}

/** Measures the cases called `names`, or all; fails when builds answer a query differently. */
export async function pages(values, names) {
  const { processor, encrypted } = values;
  if (processor && encrypted) throw new Stop('--processor does not go with --encrypted');
  if (encrypted && values.build?.length > 1) throw new Stop('--encrypted takes one build');
  const options = { rows: positiveInt('rows', values.rows), wanted: casesNamed(names), processor };
  const runs = positiveInt('runs', values.runs);
  const given = values.build && buildsOf(values.build);
  // The peer's worker is another thread than ours.
  const hasPeer = !values['no-peer'] && !processor && !encrypted;
  if (hasPeer) {
    await runTool('npm', ['ci', '--ignore-scripts', '--prefix', BROWSER], toolEnvironment());
  }
  if (!given) {
    await runTool('npm', ['run', 'build', '--workspace', 'varvedb'], toolEnvironment());
  }
  const builds = given ?? buildsOf([`VarveDB=${join(root, 'js/dist')}`]);
  const engines = await serveEngines(builds, { hasPeer, encrypted });
  let results;
  try {
    results = await measured(engines, runs, options);
  } finally {
    for (const { server } of Object.values(engines)) server.close();
  }
  const { name, write } = pageFor(values);
  const text = write(results, { rows: options.rows, runs, names });
  console.log(text);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  if (values.docs) {
    mkdirSync(values.docs, { recursive: true });
    writeFileSync(join(values.docs, name), text);
  }
  const complaints = differences(results, PEER);
  for (const complaint of complaints) console.error(complaint);
  return complaints.length === 0 ? 0 : 1;
}
