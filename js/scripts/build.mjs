import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { minify } from 'terser';

const root = join(import.meta.dirname, '..');
const built = ['varve.js', 'varve_bg.wasm'];
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

function compile(...options) {
  const args = [compiler, '-p', 'tsconfig.build.json', ...options];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!built.every((name) => existsSync(join(root, 'pkg', name)))) {
  console.error(
    'js/pkg lacks the engine: run `npm run build:wasm` in the root of the repository first.',
  );
  process.exit(1);
}
rmSync(join(root, 'dist'), { recursive: true, force: true });
// Comments belong into the declarations, where editors show them, and not into the download.
compile('--removeComments');
compile('--declaration', '--emitDeclarationOnly');
for (const name of built) copyFileSync(join(root, 'pkg', name), join(root, 'dist', name));

// Not every app has a bundler that would do it. Names of classes stay: errors show them.
const dist = join(root, 'dist');
for (const name of readdirSync(dist).filter((each) => each.endsWith('.js'))) {
  const path = join(dist, name);
  const { code } = await minify(readFileSync(path, 'utf8'), {
    module: true,
    compress: { passes: 2 },
    keep_classnames: true,
  });
  // What holds types only is imported by nothing.
  if (code === 'export{};') rmSync(path);
  else writeFileSync(path, code ?? '');
}
