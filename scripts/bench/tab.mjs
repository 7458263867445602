// A tab of Chromium, in a new profile on disk, on a page of the benchmarks beside the built package.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { serveFolders } from '../../tests/bench/browser/serve.mjs';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { runTool } from '../lib/wasm-module.mjs';
import { findChromium } from '../setup/chromium.mjs';

/** Builds the package, opens `file` and answers what `run` does with the page and its context. */
export async function inTab(file, run) {
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
    await page.goto(`http://127.0.0.1:${server.address().port}/${file}`);
    return await run(page, context);
  } finally {
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
