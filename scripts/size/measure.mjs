import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const SHIPPED = /\.(js|mjs|wasm)$/;

/** Raw, gzip and brotli bytes of one file, as a good static server would send it. */
export function measure(bytes) {
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }).length,
  };
}

/** A row for each shipped file under `folder`, largest first. */
export function measureFolder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SHIPPED.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ part: path.slice(folder.length + 1), ...measure(readFileSync(path)) }))
    .sort((a, b) => b.raw - a.raw);
}

/** The sum of `rows`, called `part`. Each file is a download of its own, so compressed sizes just add up. */
export function total(part, rows) {
  const sum = { part, raw: 0, gzip: 0, brotli: 0 };
  for (const row of rows) for (const key of ['raw', 'gzip', 'brotli']) sum[key] += row[key];
  return sum;
}

/** One sentence for each limit of `budget` that `totals` (by name) passes. */
export function overBudget(totals, budget) {
  const complaints = [];
  for (const [name, limits] of Object.entries(budget)) {
    for (const [key, limit] of Object.entries(limits)) {
      const bytes = totals[name][key];
      if (bytes > limit)
        complaints.push(
          `${name}: ${bytes} bytes ${key}, ${bytes - limit} above the budget of ${limit}.`,
        );
    }
  }
  return complaints;
}
