import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

function chromium(): string {
  const { CHROMIUM } = process.env;
  if (CHROMIUM) return CHROMIUM;
  return execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
}

/** A script of the corpora beside the repository; nothing where they, or zstd, are not. */
function corpus(_context: unknown, name: string): string | undefined {
  const url = new URL(`../../shared/corpora/sql-dumps/${name}.sql.zst`, import.meta.url);
  const file = fileURLToPath(url);
  if (!existsSync(file)) return undefined;
  try {
    return execFileSync('zstd', ['-dcq', '--long=27', file], {
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    });
  } catch {
    return undefined;
  }
}

/** A file of the tests of formats, in base64. */
function fixture(_context: unknown, name: string): string {
  const url = new URL(`../tests/format/v1/${name}`, import.meta.url);
  return readFileSync(fileURLToPath(url), { encoding: 'base64' });
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
            commands: { corpus, fixture },
            provider: playwright({ launchOptions: { executablePath: chromium(), args } }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
