import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { TYPES } from './serve.mjs';

const compress = promisify(brotliCompress);

/** The files of a folder that a browser fetches, compressed, by their names below `prefix`. */
async function compressedFiles(prefix, folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => {
      const bytes = readFileSync(path);
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      const name = prefix + relative(folder, path).replaceAll(sep, '/');
      return [name, { type: TYPES[extname(path)], body: await compress(bytes, { params }) }];
    }),
  );
}

/**
 * Serves folders, each under a prefix, on a free local port as a good server does: everything is compressed before the
 * first request, and a browser may keep it for good. `served` grows by `{ name, bytes, at }` with each request, `at`
 * in milliseconds of the clock.
 */
export async function serveCompressed(folders) {
  const lists = await Promise.all(
    Object.entries(folders).map(([prefix, folder]) => compressedFiles(prefix, folder)),
  );
  const files = new Map(lists.flat());
  const served = [];
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname.slice(1));
    const file = files.get(name);
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) {
      response.writeHead(406).end('only brotli is served here');
      return;
    }
    served.push({
      name,
      bytes: file.body.length,
      at: performance.timeOrigin + performance.now(),
    });
    response.writeHead(200, {
      'content-type': file.type,
      'content-encoding': 'br',
      'content-length': file.body.length,
      'cache-control': 'max-age=31536000, immutable',
    });
    response.end(file.body);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    served,
    close: () => server.close(),
  };
}
