import { described, invalidArgument, storable } from './check.js';

/** The name of the store that `dataDir` means; nothing for one in memory. */
export function storeOf(dataDir: string | undefined): string | undefined {
  if (dataDir === undefined || dataDir === '' || dataDir === 'memory://') return undefined;
  const name = /^idb:\/\/(.+)$/s.exec(storable(dataDir, 'dataDir'))?.[1];
  if (name !== undefined) return name;
  throw invalidArgument('dataDir', described(dataDir), 'idb://name or memory://');
}
