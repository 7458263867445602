import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { CHROMIUM_ARGS, findChromium } from '../../../scripts/setup/chromium.mjs';

/**
 * A Chromium with a profile on disk. Playwright's ordinary contexts are off the record: IndexedDB lives in memory there,
 * and nothing that is said about durability would be tested.
 */
export class Browser {
  #profile = mkdtempSync(join(tmpdir(), 'varve-kv-profile-'));
  #context;
  #url;
  page;

  constructor(url) {
    this.#url = url;
  }

  async start() {
    const executablePath = findChromium();
    this.#context = await chromium.launchPersistentContext(this.#profile, {
      executablePath,
      headless: true,
      args: CHROMIUM_ARGS,
    });
    await this.load();
  }

  /** Opens the suite's page, by the usual address or another one: each origin has a quota of its own. */
  async load(url = this.#url) {
    this.page = await this.#context.newPage();
    await this.page.goto(url);
    await this.page.evaluate(() => window.ready);
  }

  newPage() {
    return this.#context.newPage();
  }

  /** Runs a function in the worker, where `kit` is the suite's module. */
  run(task, argument) {
    return this.page.workers()[0].evaluate(task, argument);
  }

  /** Lets the browser close all IndexedDB connections by force, again and again until `work` is done; answers how often. */
  async forceCloseDuring(work) {
    const internals = await this.#context.newPage();
    await internals.goto('chrome://indexeddb-internals');
    let isDone = false;
    let closes = 0;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await internals.locator('.force-close').first().click();
      closes += 1;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    await internals.close();
    await done;
    return closes;
  }

  /** Where this browser keeps the large values of IndexedDB. */
  largeValueFiles() {
    const folder = join(this.#profile, 'Default', 'IndexedDB');
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && each.parentPath.includes('.indexeddb.blob'))
      .map((each) => join(each.parentPath, each.name));
  }

  devtools() {
    return this.#context.newCDPSession(this.page);
  }

  async stop() {
    await this.#context.close();
  }

  /** Kills every process of this browser at once, as a power cut would; IndexedDB lives in the browser process. */
  async kill() {
    const closed = new Promise((resolve) => this.#context.once('close', resolve));
    const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
    for (const line of stdout.split('\n')) {
      const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      if (args?.includes(`--user-data-dir=${this.#profile}`)) process.kill(Number(pid), 'SIGKILL');
    }
    await closed;
  }

  async remove() {
    await this.stop();
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
