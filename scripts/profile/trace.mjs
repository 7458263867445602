import { spawn } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Stop } from '../lib/stop.mjs';
import { CHROMIUM_ARGS } from '../setup/chromium.mjs';

const MINUTES_MAX = 5;
const ARGS = [
  '--headless=new',
  ...CHROMIUM_ARGS,
  // Functions are compiled when they first run, so what is compiled is what ran.
  '--js-flags=--trace-wasm-compilation-times',
];
const COMPILED = /Compiled function \S+#(\d+)/;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves files of `folders`, the first one that has a name winning; `onSaid` hears what the page says at its end. */
function serve(folders, onSaid) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname.slice(1));
    if (name.startsWith('said-')) onSaid(name.slice('said-'.length));
    const path = folders.map((folder) => join(folder, name)).find(existsSync);
    if (!/^[\w.-]+$/.test(name) || !path) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'text/plain' });
    createReadStream(path).pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** The numbers of the functions that ran in Chromium while `page` was there, which it has to say. */
export async function functionsRun(chromium, folders, page) {
  const profile = mkdtempSync(join(tmpdir(), 'varve-profile-'));
  let said;
  let browser;
  const numbers = new Set();
  const server = await serve(folders, (words) => {
    said = words;
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
