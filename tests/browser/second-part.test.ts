import type { Page } from 'playwright/test';
import { DatabasePage, type Outcome } from './start/database-page';
import { expect, test } from './start/fixtures';
import { type Fault, html, type PackageServer, policy, REST } from './start/package-server';

/** What the first part can answer, and what only the second one can. */
const PLAIN = 'SELECT 1 AS one';
const RARE = "DO $$ BEGIN RAISE NOTICE 'there'; END $$";
const STORE = 'idb://second-part';

async function loaded(page: Page, server: PackageServer): Promise<DatabasePage> {
  const database = new DatabasePage(page);
  await database.load(`${server.origin}/`);
  return database;
}

/** A store with the empty table `kept`, opened while the second part has a fault. */
async function openedWithFault(
  page: Page,
  server: PackageServer,
  fault: Fault,
): Promise<DatabasePage> {
  const database = await loaded(page, server);
  await database.create(STORE);
  expect(await database.exec('CREATE TABLE kept (n int PRIMARY KEY)')).toEqual({ rows: [] });
  await database.close();
  server.faults = { [REST]: fault };
  expect(await database.create(STORE)).toEqual({ rows: [] });
  return database;
}

/** The first call that is refused: the worker hears of a fault soon after its first answer, which waits for nothing. */
async function refusal(database: DatabasePage): Promise<Outcome> {
  let last: Outcome = {};
  const poll = expect.poll(async () => {
    last = await database.query(PLAIN);
    return last.code;
  });
  await poll.toBeDefined();
  return last;
}

const REFUSED = { code: '58030', failure: 'wasm_load_failed', kind: 'unavailable' };

const faults: readonly (readonly [
  what: string,
  fault: Fault,
  expected: { says: readonly string[]; hint: string },
])[] = [
  ['is missing', { status: 404 }, { says: [`/${REST} answered 404`], hint: 'option `restWasm`' }],
  ['comes as HTML', html, { says: [`/${REST} returned HTML`], hint: 'option `restWasm`' }],
  [
    'is the first part once more',
    { file: 'varve_bg.wasm' },
    { says: [`/${REST} is not the second part of this build`], hint: 'option `restWasm`' },
  ],
  [
    'is another module',
    { file: 'varve_dialect_bg.wasm' },
    { says: [`/${REST} is not the second part of this build`], hint: 'option `restWasm`' },
  ],
  [
    'is a module that needs nothing',
    { body: '\0asm\x01\0\0\0' },
    { says: [`/${REST} is not the second part of this build`], hint: 'option `restWasm`' },
  ],
];

for (const [what, fault, { says, hint }] of faults) {
  test(`the second part ${what}: calls are refused until it can be had, and nothing is lost`, async ({
    profile,
    server,
  }) => {
    // The worker fetches it by itself, and hears of the fault once the transaction is under way.
    let tell = () => {};
    const after = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const database = await openedWithFault(await profile.open(), server, { ...fault, after });
    expect(await database.query('BEGIN')).toEqual({ rows: [] });
    expect(await database.query('INSERT INTO kept VALUES (7)')).toEqual({ rows: [] });
    tell();

    const refused = await refusal(database);
    expect(refused).toMatchObject(REFUSED);
    for (const words of says) expect(refused.message).toContain(words);
    expect(refused.hint).toContain(hint);
    expect(await database.query(RARE)).toMatchObject(REFUSED);

    server.faults = {};
    expect(await database.query(RARE)).toEqual({ rows: [] });
    expect(await database.query('SELECT n FROM kept')).toEqual({ rows: [{ n: 7 }] });
    expect(await database.query('ROLLBACK')).toEqual({ rows: [] });
    expect(await database.query('SELECT n FROM kept')).toEqual({ rows: [] });
  });
}

for (const then of ['rejects', 'commits'] as const) {
  test(`a transaction whose callback ${then} after a call was refused is rolled back`, async ({
    profile,
    server,
  }) => {
    const database = await openedWithFault(await profile.open(), server, { status: 404 });
    const outcome = await database.transactionUntilRefused('INSERT INTO kept VALUES (8)', then);
    expect(outcome).toMatchObject(REFUSED);
    server.faults = {};
    expect(await database.query('SELECT n FROM kept')).toEqual({ rows: [] });
  });
}

test('a statement that needs the second part when it cannot be loaded ends the worker', async ({
  profile,
  server,
}) => {
  server.faults = { [REST]: { status: 404 } };
  const database = await loaded(await profile.open(), server);
  await database.create(STORE);
  const ended = await database.query(RARE);
  expect(ended).toMatchObject({ code: 'worker_died', failure: 'wasm_load_failed' });
  expect(ended.message).toContain(`/${REST} answered 404, in the middle of a statement`);
  expect(await database.query(PLAIN)).toMatchObject({ code: 'worker_died' });
  server.faults = {};
  expect(await database.create(STORE)).toEqual({ rows: [] });
  expect(await database.query(RARE)).toEqual({ rows: [] });
});

test('what waits for a worker that ends so is answered with why, and nothing that was committed is lost', async ({
  profile,
  server,
}) => {
  const database = await openedWithFault(await profile.open(), server, { status: 404 });
  const outcomes = await database.inEveryWay(RARE);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ code: 'worker_died', failure: 'wasm_load_failed' });
  }
  server.faults = {};
  expect(await database.create(STORE)).toEqual({ rows: [] });
  for (const outcome of await database.inEveryWay(RARE)) expect(outcome).toEqual({ rows: [] });
  expect(await database.query('SELECT n FROM kept')).toEqual({ rows: [] });
});

test('the first statement loads the second part itself when it needs it', async ({
  profile,
  server,
}) => {
  const database = await loaded(await profile.open(), server);
  await database.create(STORE);
  expect(server.timesAsked(REST)).toBe(0);
  expect(await database.query(RARE)).toEqual({ rows: [] });
  expect(server.timesAsked(REST)).toBe(1);
});

test('a store in memory does not open without the second part', async ({ profile, server }) => {
  server.faults = { [REST]: { status: 404 } };
  const database = await loaded(await profile.open(), server);
  const refused = await database.create('memory://');
  expect(refused).toMatchObject({ code: 'wasm_load_failed', kind: 'unavailable' });
  expect(refused.message).toContain(`/${REST} answered 404`);
});

test('the policy of the worker forbids the second part alone: the error names the directive', async ({
  profile,
  server,
}) => {
  const directive = `connect-src ${server.origin}/varve_bg.wasm`;
  server.faults = { 'worker.js': policy(directive) };
  const database = await loaded(await profile.open(), server);
  await database.create(STORE);
  const refused = await refusal(database);
  expect(refused).toMatchObject(REFUSED);
  for (const words of ['/worker.js', `/${REST}`, `"${directive}"`]) {
    expect(refused.message).toContain(words);
  }
  expect(refused.hint).toContain("connect-src 'self'");
});

for (const form of ['address', 'Response', 'Module'] as const) {
  test(`the second part may come from elsewhere: ${form}`, async ({ profile, server }) => {
    server.faults = { [REST]: { status: 404 }, 'elsewhere.wasm': { file: REST } };
    const database = await loaded(await profile.open(), server);
    for (const place of [STORE, 'memory://']) {
      const opened = await database.create(place, { rest: ['/elsewhere.wasm', form] });
      expect(opened).toEqual({ rows: [] });
      expect(await database.query(RARE)).toEqual({ rows: [] });
    }
    expect(server.timesAsked(REST)).toBe(0);
  });
}

test('preload fetches both parts', async ({ profile, server }) => {
  const database = await loaded(await profile.open(), server);
  expect(await database.preload()).toEqual({ rows: [] });
  for (const file of ['worker.js', 'varve_bg.wasm', REST]) expect(server.timesAsked(file)).toBe(1);
});

for (const file of ['varve_bg.wasm', REST]) {
  test(`preload rejects when ${file} is missing`, async ({ profile, server }) => {
    server.faults = { [file]: { status: 404 } };
    const database = await loaded(await profile.open(), server);
    const refused = await database.preload();
    expect(refused).toMatchObject({ code: 'wasm_load_failed', kind: 'unavailable' });
    expect(refused.message).toContain(`/${file} answered 404`);
  });
}
