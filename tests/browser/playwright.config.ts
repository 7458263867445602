import { defineConfig } from 'playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: [
    'demo*.test.ts',
    'kill.test.ts',
    'start.test.ts',
    'second-part.test.ts',
    'places.test.ts',
    'in-worker.test.ts',
    'jsfuzz.test.ts',
    'quota.test.ts',
  ],
  outputDir: 'test-results',
  // Two browsers at once would share the cores that one of them is timed on.
  workers: 1,
  forbidOnly: true,
  reporter: 'list',
  timeout: 180_000,
  expect: { timeout: 30_000 },
});
