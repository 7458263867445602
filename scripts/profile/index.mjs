// Writes which functions of the engine typical pages run: what a first part of the engine has to hold.
// usage: npm run profile [-- --check]
//        With --check nothing is written: it says which share of what ran is not in the profile, and fails above 2 %.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { runMain, Stop } from '../lib/stop.mjs';
import { findChromium } from '../setup/chromium.mjs';
import { readProfile, writeProfile } from './list.mjs';
import { functionsRun } from './trace.mjs';

const MISSING_SHARE_MAX = 0.02;
const PAGES = join(import.meta.dirname, 'pages');

/** The names of the functions of a module, by their numbers. */
function namesOf(path, env) {
  const args = ['run', '-q', '-p', 'varve-wasm-split', '--', '--names', path];
  const done = spawnSync('cargo', args, { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Stop(`cargo ${args.join(' ')} failed:\n${done.stderr}`);
  const lines = done.stdout.split('\n');
  // A function without a name has its number and a space.
  return lines.map((line) => line.slice(line.indexOf(' ') + 1));
}

await runMain(async () => {
  const env = toolEnvironment();
  const chromium = findChromium(env);
  if (chromium === undefined) throw new Stop('There is no Chromium: run `npm run setup` first.');
  const named = join(root, 'js', 'pkg', 'varve_named.wasm');
  if (!existsSync(named)) throw new Stop('There is no engine: run `npm run build:wasm` first.');
  const folder = mkdtempSync(join(tmpdir(), 'varve-named-'));
  const ran = new Set();
  try {
    writeFileSync(join(folder, 'varve_bg.wasm'), readFileSync(named));
    const names = namesOf(named, env);
    const folders = [folder, import.meta.dirname, PAGES, join(root, 'js', 'dist')];
    for (const file of readdirSync(PAGES).sort()) {
      const page = basename(file, '.js');
      const before = ran.size;
      const numbers = await functionsRun(chromium, folders, page);
      for (const number of numbers) if (names[number]) ran.add(names[number]);
      console.log(`${page}: ${numbers.size} functions, ${ran.size - before} new ones`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (!process.argv.includes('--check')) {
    writeProfile(ran);
    return 0;
  }
  const known = readProfile();
  const missing = [...ran].filter((name) => !known.has(name));
  const share = missing.length / ran.size;
  for (const name of missing.sort()) console.log(`not in the first part: ${name}`);
  console.log(`${missing.length} of ${ran.size} functions that ran are not in the first part`);
  return share > MISSING_SHARE_MAX ? 1 : 0;
});
