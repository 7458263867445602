import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const engine = ['varve.js', 'varve_bg.wasm'];
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

function compile(...options) {
  const args = [compiler, '-p', 'tsconfig.build.json', ...options];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!engine.every((name) => existsSync(join(root, 'pkg', name)))) {
  console.error(
    'js/pkg lacks the engine: run `npm run build:wasm` in the root of the repository first.',
  );
  process.exit(1);
}
rmSync(join(root, 'dist'), { recursive: true, force: true });
// Comments belong into the declarations, where editors show them, and not into the download.
compile('--removeComments');
compile('--declaration', '--emitDeclarationOnly');
for (const name of engine) copyFileSync(join(root, 'pkg', name), join(root, 'dist', name));
