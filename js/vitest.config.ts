import { execFileSync } from 'node:child_process';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

function chromium(): string {
  const { CHROMIUM } = process.env;
  if (CHROMIUM) return CHROMIUM;
  return execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
}

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'node', include: ['test/node/**/*.test.ts'], environment: 'node' } },
      {
        test: {
          name: 'chromium',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 30_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: { executablePath: chromium(), args } }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
