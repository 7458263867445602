import { defineConfig, searchForWorkspaceRoot } from 'vite';
import { offline } from './offline/plugin.ts';

export default defineConfig({
  // Relative, so that the built demo can be served from any folder of a site.
  base: './',
  // Pre-bundling would move the package away from its worker and its wasm file, which it finds by `import.meta.url`.
  optimizeDeps: { exclude: ['varvedb'] },
  server: { fs: { allow: [searchForWorkspaceRoot(process.cwd())] } },
  plugins: [offline()],
  worker: { format: 'es' },
  build: { target: 'es2022' },
});
