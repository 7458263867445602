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

/**
 * Bytes that a process holds in memory now: `own` is what its task manager in the browser shows, `resident` has the
 * pages of programs and libraries too, which all processes of the browser share.
 */
function memoryOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
    return { own: bytes('RssAnon') + bytes('VmSwap'), resident: bytes('VmRSS') };
  } catch {
    // The process has ended.
    return { own: 0, resident: 0 };
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
    const greatest = { own: 0, resident: 0 };
    const timer = setInterval(() => {
      for (const { own, resident } of renderers.map(memoryOf)) {
        greatest.own = Math.max(greatest.own, own);
        greatest.resident = Math.max(greatest.resident, resident);
      }
    }, SAMPLE_MS);
    console.log(
      '| step | seconds | greatest renderer, MiB | with shared pages, MiB | answer |\n' +
        '| --- | ---: | ---: | ---: | --- |',
    );
    for (const step of ['load', 'scan', 'update', 'compact', 'scan', 'lookup']) {
      Object.assign(greatest, { own: 0, resident: 0 });
      const start = performance.now();
      const answer = await page.evaluate(
        ([name, options]) => globalThis.steps[name](options),
        [step, { bytes: size * 2 ** 30, memoryLimit: MEMORY_LIMIT }],
      );
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      const [own, resident] = [greatest.own, greatest.resident].map(megabytes);
      console.log(`| ${step} | ${seconds} | ${own} | ${resident} | ${JSON.stringify(answer)} |`);
    }
    clearInterval(timer);
  } finally {
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  return 0;
}
