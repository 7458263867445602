import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';

const stamp = join(root, 'node_modules', '.varvedb-lock');

const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

/** The npm packages that the lock file names, wasm-opt (package `binaryen`) among them. */
export const packages = {
  title: 'npm packages',
  find() {
    if (!existsSync(stamp)) return undefined;
    return readFileSync(stamp, 'utf8') === lockHash() ? 'as locked' : undefined;
  },
  async bring({ run, env }) {
    await run('npm', ['ci', '--no-audit', '--no-fund'], env);
    writeFileSync(stamp, lockHash());
  },
  cost: 'npm downloads them',
};
