import { test as base } from '../demo/fixtures';
import { PackageServer } from './package-server';

/** `server`: the package beside an empty page, a server for each test. */
export const test = base.extend<{ server: PackageServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from it.
  server: async ({}, use) => {
    const server = new PackageServer();
    await server.open();
    await use(server);
    server.close();
  },
});

export { expect } from 'playwright/test';
