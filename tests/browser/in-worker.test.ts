import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import type { Outcome } from './start/database-page';
import { expect, test } from './start/fixtures';
import { type PackageServer, REST } from './start/package-server';

/** What the first part can answer, and what only the second one can. */
const PLAIN = 'SELECT count(*)::int AS n FROM kept';
const RARE = "DO $$ BEGIN RAISE NOTICE 'there'; END $$";

const kinds = ['Worker', 'SharedWorker'] as const;

/** A page of an app whose database is in a worker of its own. */
class AppPage {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async start(server: PackageServer, kind: (typeof kinds)[number]): Promise<void> {
    await this.#page.goto(`${server.origin}/`);
    await this.#page.evaluate((kind) => {
      const options = { type: 'module' } as const;
      const port =
        kind === 'Worker'
          ? new Worker('/app-worker.js', options)
          : new SharedWorker('/app-worker.js', options).port;
      Object.assign(globalThis, { port });
    }, kind);
  }

  query(sql: string): Promise<Outcome> {
    return this.#page.evaluate((text) => {
      const { port } = globalThis as unknown as { port: Worker | MessagePort };
      return new Promise<Outcome>((resolve) => {
        port.onmessage = ({ data }: MessageEvent<Outcome>) => resolve(data);
        port.postMessage(text);
      });
    }, sql);
  }
}

function addAppTo(server: PackageServer): void {
  const script = join(import.meta.dirname, 'start', 'app-worker.mjs');
  server.faults = { ...server.faults, 'app-worker.js': { body: readFileSync(script, 'utf8') } };
}

for (const kind of kinds) {
  test(`in a ${kind} of the app, both parts of the engine answer`, async ({ profile, server }) => {
    addAppTo(server);
    const app = new AppPage(await profile.open());
    await app.start(server, kind);
    // The first statement: nothing has fetched the second part, so the stub loads it.
    expect(await app.query(RARE)).toEqual({ rows: [] });
    expect(server.timesAsked(REST)).toBe(1);
    expect(await app.query('CREATE TABLE kept (n int PRIMARY KEY)')).toEqual({ rows: [] });
    expect(await app.query('INSERT INTO kept VALUES (1), (2)')).toEqual({ rows: [] });
    expect(await app.query(PLAIN)).toEqual({ rows: [{ n: 2 }] });
    expect(server.timesAsked(REST)).toBe(1);
  });
}

test('the pages of an app share the database of its SharedWorker', async ({ profile, server }) => {
  addAppTo(server);
  const first = new AppPage(await profile.open());
  await first.start(server, 'SharedWorker');
  expect(await first.query('CREATE TABLE kept (n int PRIMARY KEY)')).toEqual({ rows: [] });
  const second = new AppPage(await profile.context.newPage());
  await second.start(server, 'SharedWorker');
  expect(await second.query('INSERT INTO kept VALUES (3)')).toEqual({ rows: [] });
  expect(await first.query(PLAIN)).toEqual({ rows: [{ n: 1 }] });
});

test('in a SharedWorker, a statement that cannot load the second part is answered with why', async ({
  profile,
  server,
}) => {
  server.faults = { [REST]: { status: 404 } };
  addAppTo(server);
  const app = new AppPage(await profile.open());
  await app.start(server, 'SharedWorker');
  const refused = await app.query(RARE);
  expect(refused).toMatchObject({ code: 'worker_died', failure: 'wasm_load_failed' });
  expect(refused.message).toContain(`/${REST} answered 404`);
});
