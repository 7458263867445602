import { VarveError } from './errors.js';

/** The name of the store that `dataDir` means; nothing for one in memory. */
export function storeOf(dataDir: string | undefined): string | undefined {
  if (dataDir === undefined || dataDir === '' || dataDir === 'memory://') return undefined;
  const name = /^idb:\/\/(.+)$/s.exec(dataDir)?.[1];
  if (name !== undefined) return name;
  throw new VarveError({
    code: '22023',
    message: `"${dataDir}" names no place for data`,
    hint: 'Use idb://name or memory://.',
  });
}
