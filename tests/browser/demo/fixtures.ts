import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test as base } from 'playwright/test';
import { preview } from 'vite';
import { Profile } from './profile';

export const DEMO = join(import.meta.dirname, '../../../demo');

/** What `npm run build -w demo` has made. */
const BUILT = join(DEMO, 'dist');

export interface DemoServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a build of the demo, at another address each time if none is given. */
export async function serveDemo(folder = BUILT, at?: string): Promise<DemoServer> {
  if (!existsSync(join(folder, 'index.html'))) {
    throw new Error('the demo is not built: run `npm run build -w demo` first');
  }
  const port = at ? Number(new URL(at).port) : 4300 + Math.floor(Math.random() * 400);
  const server = await preview({
    root: DEMO,
    logLevel: 'error',
    build: { outDir: folder },
    preview: { host: '127.0.0.1', port, strictPort: at !== undefined },
  });
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error('the server of the demo has no address');
  return { url, close: () => server.close() };
}

/** `demo`: the address of the built demo, the same for all tests. `profile`: a new one for each test. */
export const test = base.extend<{ profile: Profile }, { demo: string }>({
  demo: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from it.
    async ({}, use) => {
      const server = await serveDemo();
      await use(server.url);
      await server.close();
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  profile: async ({}, use) => {
    const profile = new Profile();
    await use(profile);
    await profile.remove();
  },
});

export { expect } from 'playwright/test';
