// Writes which functions of the engine at least two of the typical pages run: what its first part has to hold. What one
// page alone runs is in the second part, which is there soon after the first answer.
// usage: npm run profile [-- --check]
//        With --check nothing is written: it says which share of what two pages run is not in the profile, and fails
//        above 2 %.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { runMain, Stop } from '../lib/stop.mjs';
import { findChromium } from '../setup/chromium.mjs';
import { readProfile, writeProfile } from './list.mjs';
import { namesOf } from './names.mjs';
import { functionsRun } from './trace.mjs';

const MISSING_SHARE_MAX = 0.02;
const PAGES_MIN = 2;
const PAGES = join(import.meta.dirname, 'pages');

await runMain(async () => {
  const env = toolEnvironment();
  const chromium = findChromium(env);
  if (chromium === undefined) throw new Stop('There is no Chromium: run `npm run setup` first.');
  const named = join(root, 'js', 'pkg', 'varve_named.wasm');
  if (!existsSync(named)) throw new Stop('There is no engine: run `npm run build:wasm` first.');
  const folder = mkdtempSync(join(tmpdir(), 'varve-named-'));
  /** How many pages ran a function. */
  const pagesOf = new Map();
  const pages = [];
  try {
    writeFileSync(join(folder, 'varve_bg.wasm'), readFileSync(named));
    const names = namesOf(named, env);
    const folders = [folder, import.meta.dirname, PAGES, join(root, 'js', 'dist')];
    for (const file of readdirSync(PAGES).sort()) {
      const page = basename(file, '.js');
      const numbers = await functionsRun(chromium, folders, page);
      const known = new Set([...numbers].map((number) => names[number]).filter(Boolean));
      for (const name of known) pagesOf.set(name, (pagesOf.get(name) ?? 0) + 1);
      pages.push({ page, known });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const typical = [...pagesOf].filter(([, count]) => count >= PAGES_MIN).map(([name]) => name);
  const isCheck = process.argv.includes('--check');
  if (!isCheck) writeProfile(typical);
  const first = readProfile();
  const isMissing = (name) => !first.has(name);
  for (const { page, known } of pages) {
    const apart = [...known].filter(isMissing).length;
    console.log(`${page}: ${known.size} functions, ${apart} of them in the second part`);
  }
  const missing = typical.filter(isMissing).sort();
  for (const name of missing) console.log(`not in the first part: ${name}`);
  console.log(
    `${missing.length} of ${typical.length} functions of several pages are not in the first part`,
  );
  return missing.length / typical.length > MISSING_SHARE_MAX ? 1 : 0;
});
