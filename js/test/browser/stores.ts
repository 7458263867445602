import { VarveDB, type VarveDBOptions } from 'varvedb';
import { afterEach } from 'vitest';

const open: VarveDB[] = [];
const named: string[] = [];

/** Every test that takes a store runs on each of them. */
export const places = ['memory', 'idb'] as const;

/** An address that no other test uses; what it holds is deleted after the test. */
export function freshDataDir(place: (typeof places)[number]): string {
  if (place === 'memory') return 'memory://';
  const dataDir = `idb://test-${crypto.randomUUID()}`;
  named.push(dataDir);
  return dataDir;
}

/** A database that is closed after the test. */
export async function create(
  dataDir?: string | VarveDBOptions,
  options?: VarveDBOptions,
): Promise<VarveDB> {
  const db = await VarveDB.create(dataDir, options);
  open.push(db);
  return db;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((db) => db.close()));
  for (const dataDir of named.splice(0)) await VarveDB.destroy(dataDir);
});

/** What `promise` rejects with; an error of the test if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the call was expected to reject');
}
