import { VarveError } from '../errors.js';

/** How long a store that was just left, by a reload for instance, may take to become free. */
const GRACE_MS = 500;

/** The name of a store in IndexedDB, and of the Web Lock of whoever has it open. */
export function storeName(name: string): string {
  return `varvedb:${name}`;
}

/**
 * Takes the exclusive lock of a store until the returned function is called or this thread ends.
 * Rejects with `store_locked` while another holds it. Where there are no Web Locks, as on pages that do not
 * come over HTTPS, only the engine's own guard is left: the later opener then fences the earlier one off.
 */
export async function lockStore(name: string): Promise<() => void> {
  const lock = storeName(name);
  // On a busy machine the answer about a free lock may take longer than the grace: so it is asked for at the end.
  const release =
    (await hold(lock, { signal: AbortSignal.timeout(GRACE_MS) })) ??
    (await hold(lock, { ifAvailable: true }));
  if (release !== undefined) return release;
  throw new VarveError({
    code: 'store_locked',
    failure: 'locked',
    message: `the store "${name}" is open elsewhere`,
    hint: 'Close it in the other tab, or in the other instance of this tab.',
  });
}

/** Takes a lock and gives what releases it, or nothing if it was not available, or `signal` was aborted before. */
export function hold(
  name: string,
  options: Pick<LockOptions, 'signal' | 'ifAvailable'> = {},
): Promise<(() => void) | undefined> {
  // Typed as always there, but missing in contexts that are not secure.
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return Promise.resolve(() => undefined);
  return new Promise((resolve, reject) => {
    const whileHeld = async (lock: Lock | null) => {
      if (lock === null) resolve(undefined);
      else await new Promise<void>((release) => resolve(release));
    };
    locks.request(name, options, whileHeld).catch((error) => {
      if (options.signal?.aborted) resolve(undefined);
      else reject(error);
    });
  });
}
