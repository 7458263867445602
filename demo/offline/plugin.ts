import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'vite';

const SCRIPT = 'service-worker.js';
/** The demo reads no dumps of other databases, and no table of it asks for zstd. */
const UNUSED = /^assets\/varve_(dialect|zstd)_bg-/;

/** Writes the service worker of a build, with the list of the files that the build has written. */
export function offline(): Plugin {
  let folder = '';
  return {
    name: 'offline',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    writeBundle() {
      const list = JSON.stringify(filesUnder(folder).map(listed));
      const build = createHash('sha256').update(list).digest('base64url');
      const script = readFileSync(join(import.meta.dirname, SCRIPT), 'utf8');
      const constants = `const BUILD = ${JSON.stringify(build)};\nconst FILES = ${list};\n`;
      writeFileSync(join(folder, SCRIPT), constants + script);
    },
  };
}

type File = readonly [address: string, content: Buffer];

function filesUnder(folder: string): File[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [relative(folder, path).replaceAll('\\', '/'), readFileSync(path)] as const)
    .filter(([address]) => address !== SCRIPT && !UNUSED.test(address));
}

function listed([address, content]: File): readonly [address: string, integrity: string] {
  const digest = createHash('sha256').update(content).digest('base64');
  // The page is asked for by the address of its folder.
  return [address === 'index.html' ? './' : address, `sha256-${digest}`];
}
