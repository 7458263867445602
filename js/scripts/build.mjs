import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { minify } from 'terser';

const root = join(import.meta.dirname, '..');
const built = [
  'varve.js',
  'varve_bg.wasm',
  'varve_rest_bg.wasm',
  'varve_dialect.js',
  'varve_dialect_bg.wasm',
  'varve_zstd.js',
  'varve_zstd_bg.wasm',
];
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

// The page's script and the worker's are one file each, so whoever moves the package moves two
// scripts and the engine, and a browser fetches nothing level by level.
const dist = join(root, 'dist');
const scripts = await Promise.all(
  ['index.js', 'worker.js'].map(async (name) => {
    const bundle = await rolldown({ input: join(dist, name) });
    const { output } = await bundle.generate({ format: 'es', codeSplitting: false });
    return { name, code: output[0].code };
  }),
);
for (const name of readdirSync(dist, { recursive: true }))
  if (name.endsWith('.js')) rmSync(join(dist, name));

// Not every app has a bundler that would make it small. Names of classes stay: errors show them.
for (const { name, code } of scripts) {
  const small = await minify(code, {
    module: true,
    compress: { passes: 2 },
    keep_classnames: true,
  });
  writeFileSync(join(dist, name), small.code ?? '');
}
