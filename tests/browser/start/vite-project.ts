import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, createServer, type InlineConfig, preview } from 'vite';
import { DIST } from './package-server';

const MAIN = "import { VarveDB } from 'varvedb';\nglobalThis.VarveDB = VarveDB;\n";
const PAGE = '<!doctype html>\n<script type="module" src="./main.js"></script>\n';

interface Served {
  readonly resolvedUrls: { readonly local: readonly string[] } | null;
  close(): Promise<void>;
}

/** An app as a user of the package has it: the package is in `node_modules`, and Vite has no configuration. */
export class ViteProject {
  // Vite compares addresses of files with real ones.
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'varve-vite-')));
  #server: Served | undefined;

  constructor() {
    const installed = join(this.#root, 'node_modules/varvedb');
    mkdirSync(installed, { recursive: true });
    cpSync(join(dirname(DIST), 'package.json'), join(installed, 'package.json'));
    cpSync(DIST, join(installed, 'dist'), { recursive: true });
    writeFileSync(join(this.#root, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(this.#root, 'main.js'), MAIN);
    writeFileSync(join(this.#root, 'index.html'), PAGE);
  }

  /** The address of the dev server. */
  async develop(): Promise<string> {
    const server = await createServer({
      ...this.#config(),
      server: { host: '127.0.0.1', port: 0 },
    });
    await server.listen();
    return this.#address(server);
  }

  /** The address of the built app. */
  async build(): Promise<string> {
    await build(this.#config());
    return this.#address(
      await preview({ ...this.#config(), preview: { host: '127.0.0.1', port: 0 } }),
    );
  }

  async remove(): Promise<void> {
    await this.#server?.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  #config(): InlineConfig {
    return { root: this.#root, configFile: false, logLevel: 'error' };
  }

  #address(server: Served): string {
    this.#server = server;
    const [url] = server.resolvedUrls?.local ?? [];
    if (url === undefined) throw new Error('the server of the app has no address');
    return url;
  }
}
