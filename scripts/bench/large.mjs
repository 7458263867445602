// A store far larger than memory, loaded, scanned, updated and compacted in a tab: what its renderer takes.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { serveFolders } from '../../tests/bench/browser/serve.mjs';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { Stop } from '../lib/stop.mjs';
import { runTool } from '../lib/wasm-module.mjs';
import { findChromium } from '../setup/chromium.mjs';

const SAMPLE_MS = 100;
const MEMORY_LIMIT = 128 << 20;

/** Bytes that a process holds in memory now. */
function residentBytes(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    // The process has ended.
    return 0;
  }
}

const megabytes = (bytes) => Math.round(bytes / (1 << 20));

/** Loads `gigabytes` of rows that do not compress, and prints time and greatest memory of each step. */
export async function large({ gigabytes }) {
  const size = Number(gigabytes);
  if (!(size > 0)) throw new Stop('--gigabytes takes a number');
  await runTool('npm', ['run', 'build', '--workspace', 'varvedb'], toolEnvironment());
  const server = await serveFolders({
    'js/': join(root, 'js/dist'),
    '': join(root, 'tests/bench/browser'),
  });
  const profile = mkdtempSync(join(tmpdir(), 'varve-bench-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  });
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/large.html`);
    const devtools = await context.browser()?.newBrowserCDPSession();
    const session = devtools ?? (await context.newCDPSession(page));
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    let greatest = 0;
    const timer = setInterval(() => {
      greatest = Math.max(greatest, ...renderers.map(residentBytes));
    }, SAMPLE_MS);
    console.log(
      '| step | seconds | greatest renderer, MiB | answer |\n| --- | ---: | ---: | --- |',
    );
    for (const step of ['load', 'scan', 'update', 'compact', 'scan', 'lookup']) {
      greatest = 0;
      const start = performance.now();
      const answer = await page.evaluate(
        ([name, options]) => globalThis.steps[name](options),
        [step, { bytes: size * 2 ** 30, memoryLimit: MEMORY_LIMIT }],
      );
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`| ${step} | ${seconds} | ${megabytes(greatest)} | ${JSON.stringify(answer)} |`);
    }
    clearInterval(timer);
  } finally {
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  return 0;
}
