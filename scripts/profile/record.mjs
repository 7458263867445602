import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { Stop } from '../lib/stop.mjs';
import { findChromium } from '../setup/chromium.mjs';
import { namesOf } from './names.mjs';
import { functionsRun } from './trace.mjs';

const PAGES_MIN = 4;
/** The page of which no function may be in the second part. */
const BASICS = 'basics';
const PAGES = join(import.meta.dirname, 'pages');

/**
 * Runs the typical pages with the built package. Answers `pages`, each with the names of the functions that it ran,
 * and `typical`, what most of them ran, and all that the basics did.
 */
export async function record(env) {
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
  const basics = pages.find(({ page }) => page === BASICS)?.known ?? new Set();
  const isTypical = ([name, count]) => count >= PAGES_MIN || basics.has(name);
  const typical = [...pagesOf].filter(isTypical).map(([name]) => name);
  return { pages, typical };
}
