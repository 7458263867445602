import { DatabasePage } from './start/database-page';
import { expect, test } from './start/fixtures';
import { PackageServer, policy } from './start/package-server';
import { ViteProject } from './start/vite-project';

/** One that the first part answers, and one that needs the second part. */
const PLAIN = 'SELECT 1 AS one';
const RARE = "DO $$ BEGIN RAISE NOTICE 'there'; END $$";

async function expectAnswers(database: DatabasePage): Promise<void> {
  expect(await database.query(PLAIN)).toEqual({ rows: [{ one: 1 }] });
  expect(await database.query(RARE)).toEqual({ rows: [] });
}

test('a plain server has the package', async ({ profile, server }) => {
  const database = new DatabasePage(await profile.open());
  await database.load(`${server.origin}/`);
  expect(await database.create('idb://places')).toEqual({ rows: [] });
  await expectAnswers(database);
});

test.describe('a server of another origin has the package', () => {
  const cdn = new PackageServer({ 'access-control-allow-origin': '*' });
  test.beforeAll(() => cdn.open());
  test.afterAll(() => cdn.close());

  for (const first of [PLAIN, RARE]) {
    test(`with a worker that imports the script of that origin, it answers ${first}`, async ({
      profile,
      server,
    }) => {
      const database = new DatabasePage(await profile.open());
      await database.load(`${server.origin}/`, `${cdn.origin}/index.js`);
      const workerScript = `${cdn.origin}/worker.js`;
      expect(await database.create('idb://places', { workerScript })).toEqual({ rows: [] });
      expect(await database.query(first)).toMatchObject({ rows: expect.anything() });
      await expectAnswers(database);
    });
  }

  test('under a strict policy that allows what is needed, it answers', async ({
    profile,
    server,
  }) => {
    const { origin } = cdn;
    const strict = `default-src 'none'; script-src ${origin} 'wasm-unsafe-eval'; connect-src ${origin}; worker-src blob: ${origin}`;
    server.faults = { '': policy(strict) };
    const database = new DatabasePage(await profile.open());
    await database.load(`${server.origin}/`, `${origin}/index.js`);
    const workerScript = `${origin}/worker.js`;
    expect(await database.create('idb://places', { workerScript })).toEqual({ rows: [] });
    await expectAnswers(database);
  });

  test('without one, the error says that it must be started from the own origin', async ({
    profile,
    server,
  }) => {
    const database = new DatabasePage(await profile.open());
    await database.load(`${server.origin}/`, `${cdn.origin}/index.js`);
    const refused = await database.create('idb://places');
    expect(refused).toMatchObject({ code: 'unsupported_environment' });
    expect(refused.hint).toContain('option `worker`');
  });
});

for (const how of ['develop', 'build'] as const) {
  test(`an app that Vite serves without configuration has the package: ${how}`, async ({
    profile,
  }) => {
    const project = new ViteProject();
    try {
      const database = new DatabasePage(await profile.open());
      await database.visit(await project[how]());
      expect(await database.create('idb://places')).toEqual({ rows: [] });
      await expectAnswers(database);
    } finally {
      await project.remove();
    }
  });
}
