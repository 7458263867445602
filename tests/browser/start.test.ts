import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Page } from 'playwright/test';
import { test as base, expect } from './demo/fixtures';

const DIST = join(import.meta.dirname, '../../js/dist');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** What a server does with one of the package's files. */
interface Fault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Serves a page and the package beside it; some files with a fault. */
class FaultyServer {
  readonly #server: Server;
  faults: Readonly<Record<string, Fault>> = {};

  constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
    const name = url.slice(1);
    const { status = 200, headers = {}, body } = this.faults[name] ?? {};
    const type = TYPES[extname(name)] ?? 'text/html';
    response.writeHead(status, { 'content-type': type, ...headers });
    if (body !== undefined || name === '') response.end(body ?? '<!doctype html>');
    else response.end(readOrNothing(name));
  }
}

function readOrNothing(name: string): Buffer | undefined {
  try {
    return readFileSync(join(DIST, name));
  } catch {
    return undefined;
  }
}

const test = base.extend<{ server: FaultyServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from it.
  server: async ({}, use) => {
    const server = new FaultyServer();
    await server.open();
    await use(server);
    server.close();
  },
});

interface Outcome {
  readonly code?: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** What `create` says in a page of the server; after it, whether a statement is answered. */
async function outcome(page: Page, server: FaultyServer): Promise<Outcome> {
  await page.goto(`${server.origin}/`);
  return page.evaluate(async (address) => {
    const { VarveDB } = await import(address);
    try {
      const db = await VarveDB.create();
      const { rows } = await db.query('SELECT 1 AS one');
      await db.close();
      return { message: `answers ${rows[0].one}` };
    } catch (error) {
      const { code, message, detail, hint } = error as Outcome;
      return { code, message, detail, hint } as Outcome;
    }
  }, `${server.origin}/index.js`);
}

const html = { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' };
/** A worker as bundlers write it, which imports what it shares with the page. */
const IMPORTING = 'import "./part.js";';
const policy = (text: string) => ({ headers: { 'content-security-policy': text } });

const cases: readonly (readonly [
  what: string,
  faults: Readonly<Record<string, Fault>>,
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
  expect(await outcome(await profile.open(), server)).toEqual({ message: 'answers 1' });
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
