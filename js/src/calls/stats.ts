import type { CacheCounters, Stats } from '../interface.js';
import { call, type Runner } from './runner.js';

const SCRIPT = 'SELECT name, value FROM varve_statistics; SELECT * FROM varve_caches';
/** Whatever parsers the application has for these types. */
const PARSERS = { 20: Number, 701: Number };

/** Reads the views that count, as of one moment. */
export async function readStats(runner: Runner): Promise<Stats> {
  const [statistics, caches] = await runner.exec(
    call(SCRIPT, undefined, { rowMode: 'array', parsers: PARSERS }),
  );
  return {
    statistics: Object.fromEntries(rows(statistics).map(([name, value]) => [name, Number(value)])),
    caches: Object.fromEntries(
      rows(caches).map((row) => [row[0], counters(row)]),
    ) as Stats['caches'],
  };
}

function rows(result: { readonly rows: readonly unknown[] } | undefined): [string, ...unknown[]][] {
  return (result?.rows ?? []) as [string, ...unknown[]][];
}

function counters([, ...counts]: [string, ...unknown[]]): CacheCounters {
  const [hits = 0, misses = 0, evictions = 0, entries = 0, bytes = 0, capacity = 0] =
    counts.map(Number);
  return { hits, misses, evictions, entries, bytes, capacity };
}
