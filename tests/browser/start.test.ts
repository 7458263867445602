import type { Page } from 'playwright/test';
import { DatabasePage, type Outcome } from './start/database-page';
import { expect, test } from './start/fixtures';
import { type Faults, html, type PackageServer, policy } from './start/package-server';

/** What `create` says in a page of the server; after it, how a statement is answered. */
async function outcome(page: Page, server: PackageServer): Promise<Outcome> {
  const database = new DatabasePage(page);
  await database.load(`${server.origin}/`);
  const opened = await database.create('memory://');
  return opened.rows ? database.query('SELECT 1 AS one') : opened;
}

/** A worker as bundlers write it, which imports what it shares with the page. */
const IMPORTING = 'import "./part.js";';

const cases: readonly (readonly [
  what: string,
  faults: Faults,
  expected: { code: string; says: readonly string[]; hint: string },
])[] = [
  [
    "the worker's script is missing",
    { 'worker.js': { status: 404 } },
    { code: 'worker_died', says: ['/worker.js answered 404'], hint: 'option `worker`' },
  ],
  [
    "HTML comes instead of the worker's script",
    { 'worker.js': html },
    { code: 'worker_died', says: ['/worker.js came as text/html'], hint: 'option `worker`' },
  ],
  [
    'a script that the worker imports is missing',
    { 'worker.js': { body: IMPORTING }, 'part.js': { status: 404 } },
    { code: 'worker_died', says: ['/part.js answered 404'], hint: 'option `worker`' },
  ],
  [
    'HTML comes instead of a script that the worker imports',
    { 'worker.js': { body: IMPORTING }, 'part.js': html },
    { code: 'worker_died', says: ['/part.js came as text/html'], hint: 'option `worker`' },
  ],
  [
    "the worker's script throws",
    { 'worker.js': { body: 'throw new Error("not this one");' } },
    { code: 'worker_died', says: ['worker of the database has ended'], hint: '' },
  ],
  [
    'the engine is missing',
    { 'varve_bg.wasm': { status: 404 } },
    { code: 'wasm_load_failed', says: ['/varve_bg.wasm answered 404'], hint: 'option `wasm`' },
  ],
  [
    'HTML comes instead of the engine',
    { 'varve_bg.wasm': html },
    { code: 'wasm_load_failed', says: ['/varve_bg.wasm returned HTML'], hint: 'option `wasm`' },
  ],
  [
    'the policy of the page forbids the worker',
    { '': policy("worker-src 'none'") },
    {
      code: 'worker_died',
      says: ['/worker.js', 'Content-Security-Policy', `"worker-src 'none'"`],
      hint: "worker-src 'self'",
    },
  ],
  [
    'the policy of the worker forbids WebAssembly',
    { 'worker.js': policy("script-src 'self'") },
    {
      code: 'wasm_load_failed',
      says: ['/worker.js', 'WebAssembly', `"script-src 'self'"`],
      hint: "'wasm-unsafe-eval'",
    },
  ],
  [
    'the policy of the worker forbids to fetch the engine',
    { 'worker.js': policy("default-src 'self' 'wasm-unsafe-eval'; connect-src 'none'") },
    {
      code: 'wasm_load_failed',
      says: ['/worker.js', '/varve_bg.wasm', `"connect-src 'none'"`],
      hint: "connect-src 'self'",
    },
  ],
];

for (const [what, faults, { code, says, hint }] of cases) {
  test(`${what}: the error says so`, async ({ profile, server }) => {
    server.faults = faults;
    const error = await outcome(await profile.open(), server);
    expect(error).toMatchObject({ code });
    for (const words of says) expect(error.message).toContain(words);
    expect(error.hint ?? '').toContain(hint);
  });
}

test('under a strict policy that allows what is needed, it answers', async ({
  profile,
  server,
}) => {
  const strict = policy(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'",
  );
  server.faults = { '': strict, 'worker.js': strict };
  expect(await outcome(await profile.open(), server)).toEqual({ rows: [{ one: 1 }] });
});

test('a script that never answers is given up', async ({ profile, server }) => {
  server.faults = { 'worker.js': { body: 'onmessage = () => undefined;' } };
  const page = await profile.open();
  await page.addInitScript(() => {
    const { setTimeout: real } = globalThis;
    const quick = (run: () => void, ms = 0) => real(run, ms >= 60_000 ? 0 : ms);
    globalThis.setTimeout = quick as typeof setTimeout;
  });
  const { code, message, hint } = await outcome(page, server);
  expect(code).toBe('worker_died');
  expect(message).toContain('/worker.js has not answered within 60 seconds');
  expect(hint).toContain('option `worker`');
});
