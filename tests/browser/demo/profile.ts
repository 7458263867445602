import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright/test';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** No click and no other action waits longer: it says then what kept it, which the end of a whole test does not. */
const ACTION_MS = 60_000;

function findChromium(): string {
  const { CHROMIUM } = process.env;
  const path = CHROMIUM ?? execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
  if (!existsSync(path.trim())) throw new Error(`there is no Chromium at ${path}`);
  return path.trim();
}

/** Processes whose command line names the folder. */
function processesOf(folder: string): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(`--user-data-dir=${folder}`))
    .map((line) => Number.parseInt(line, 10));
}

/**
 * A Chromium whose profile is on disk and outlives it. Playwright's ordinary contexts are off the
 * record, where IndexedDB is in memory and nothing said about a kill or a reopening would be tested.
 */
export class Profile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'varve-demo-'));
  #context: BrowserContext | undefined;

  get context(): BrowserContext {
    if (!this.#context) throw new Error('the browser is not open');
    return this.#context;
  }

  async open(): Promise<Page> {
    this.#context = await chromium.launchPersistentContext(this.#folder, {
      executablePath: findChromium(),
      headless: true,
      args: ARGS,
      viewport: { width: 1280, height: 800 },
    });
    this.#context.setDefaultTimeout(ACTION_MS);
    const [first] = this.#context.pages();
    return first ?? this.#context.newPage();
  }

  /** Ends all processes of the browser at once: IndexedDB lives in the browser process, not in the tab's. */
  async kill(): Promise<void> {
    const closed = this.context.waitForEvent('close');
    for (const pid of processesOf(this.#folder)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended with one that was killed before it.
      }
    }
    await closed;
    this.#context = undefined;
  }

  async remove(): Promise<void> {
    await this.#context?.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Ends the processes of all tabs, the workers in them included, without a word to any. */
export async function killTabs(context: BrowserContext): Promise<void> {
  const page = context.pages()[0] ?? (await context.newPage());
  const browser = await context.browser()?.newBrowserCDPSession();
  if (!browser) throw new Error('this browser has no session of its own');
  const crashed = page.waitForEvent('crash');
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  for (const { type, id } of processInfo) {
    if (type === 'renderer') process.kill(id, 'SIGKILL');
  }
  await crashed;
  await browser.detach();
  await page.close();
}
