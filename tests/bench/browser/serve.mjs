import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

export const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** Serves folders, each under a prefix ('' first), on a free local port. */
export function serveFolders(folders) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname.slice(1));
    const paths = Object.entries(folders)
      .filter(([prefix]) => name.startsWith(prefix))
      .map(([prefix, folder]) => [folder, normalize(join(folder, name.slice(prefix.length)))]);
    const found = paths.find(
      ([folder, path]) =>
        path.startsWith(folder + sep) && existsSync(path) && statSync(path).isFile(),
    );
    if (!found) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(found[1])] ?? 'text/plain' });
    createReadStream(found[1]).pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
