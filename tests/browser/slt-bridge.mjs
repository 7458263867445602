// Lets the runner of .slt files (tests/slt) drive the package on IndexedDB in a real Chromium: a JSON request a line in,
// a JSON answer a line out. It ends when its input ends.
// usage: node tests/browser/slt-bridge.mjs [stubs|failing]: how workers get the second part of the engine.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { findChromium } from '../../scripts/setup/chromium.mjs';
import { serve } from './kv/serve.mjs';

const dist = fileURLToPath(new URL('../../js/dist', import.meta.url));
if (!existsSync(join(dist, 'index.js'))) {
  console.error('js/dist is not built: npm run build:wasm && npm run build -w js');
  process.exit(1);
}

const server = await serve([dist, fileURLToPath(new URL('./slt', import.meta.url))]);
const profile = mkdtempSync(join(tmpdir(), 'varve-slt-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: findChromium(),
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
const page = await browser.newPage();
const [worker] = process.argv.slice(2);
const query =
  worker === undefined ? '' : `?worker=${worker}&seed=${process.env.VARVE_SLT_SEED ?? 1}`;
await page.goto(`http://127.0.0.1:${server.address().port}/page.html${query}`);
await page.evaluate(() => globalThis.ready);

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await page
    .evaluate((request) => globalThis.answer(request), JSON.parse(line))
    .catch((error) => ({ error: { state: '08006', message: String(error) } }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
server.close();
rmSync(profile, { recursive: true, force: true });
