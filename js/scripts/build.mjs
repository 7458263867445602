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
import { rolldown } from 'rolldown';
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

// What page and worker need is in one file each and one that they share: a browser without a bundler
// before it fetches four files instead of thirty, level by level.
const dist = join(root, 'dist');
const modules = readdirSync(dist).filter((name) => name.endsWith('.js'));
const bundle = await rolldown({
  input: { index: join(dist, 'index.js'), worker: join(dist, 'worker.js') },
  // The engine's glue is written by its compiler; it is looked up beside the engine.
  external: [/\/varve\.js$/],
});
const { output } = await bundle.generate({ format: 'es', chunkFileNames: 'shared.js' });
for (const name of modules) if (name !== 'varve.js') rmSync(join(dist, name));
const written = output.map(({ fileName, code }) => ({ name: fileName, code }));
written.push({ name: 'varve.js', code: readFileSync(join(dist, 'varve.js'), 'utf8') });

// Not every app has a bundler that would make it small. Names of classes stay: errors show them.
for (const { name, code } of written) {
  const small = await minify(code, {
    module: true,
    compress: { passes: 2 },
    keep_classnames: true,
  });
  writeFileSync(join(dist, name), small.code ?? '');
}
