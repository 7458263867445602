import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serve } from '../../tests/browser/kv/serve.mjs';
import { Stop } from '../lib/stop.mjs';
import { CHROMIUM_ARGS } from '../setup/chromium.mjs';

const MINUTES_MAX = 5;
const ARGS = [
  '--headless=new',
  ...CHROMIUM_ARGS,
  // Functions are compiled when they first run, so what is compiled is what ran.
  '--js-flags=--trace-wasm-compilation-times',
];
/** How the page's last request begins. */
const SAID = '/said-';
const COMPILED = /Compiled function \S+#(\d+)/;

/** The numbers of the functions that ran in Chromium while `page` was there, which it has to say. */
export async function functionsRun(chromium, folders, page) {
  const profile = mkdtempSync(join(tmpdir(), 'varve-profile-'));
  let said;
  let browser;
  const numbers = new Set();
  const server = await serve(folders);
  server.on('request', ({ url }) => {
    if (!url.startsWith(SAID)) return;
    said = decodeURIComponent(url.slice(SAID.length));
    // What was printed may still be on its way.
    setTimeout(() => browser.kill(), 500);
  });
  const url = `http://127.0.0.1:${server.address().port}/page.html?page=${page}`;
  browser = spawn(chromium, [...ARGS, `--user-data-dir=${profile}`, url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => browser.once('close', resolve));
  const late = setTimeout(() => browser.kill(), MINUTES_MAX * 60_000);
  try {
    for await (const line of createInterface({ input: browser.stdout })) {
      const found = COMPILED.exec(line);
      if (found) numbers.add(Number(found[1]));
    }
  } finally {
    clearTimeout(late);
    browser.kill();
    await ended;
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  if (said !== 'done') throw new Stop(`The page ${page} ended with: ${said ?? 'nothing'}`);
  if (numbers.size === 0) throw new Stop('Chromium has not told which functions it compiled.');
  return numbers;
}
