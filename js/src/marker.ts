import { storeName } from './engine/lock.js';
import type { Opened } from './interface.js';

/**
 * A marker beside each store, in `localStorage`, tells a store that is new from one that the browser has emptied.
 * What deletes the marker too cannot be told from a store that never was.
 */

/** Notes that a store is open, and tells what was found. */
export function noteOpened(name: string | undefined, isNew: boolean): Opened {
  const found = isNew ? 'created' : 'existing';
  if (name === undefined) return found;
  const wasHere = withMarkers((markers) => {
    const marker = markers.getItem(storeName(name));
    markers.setItem(storeName(name), '1');
    return marker !== null;
  });
  return isNew && wasHere === true ? 'evicted' : found;
}

/** Notes that a store is gone because the app wanted it. */
export function noteDestroyed(name: string): void {
  withMarkers((markers) => markers.removeItem(storeName(name)));
}

/** Nothing where there are no markers: in workers, or where the page may store nothing, or no more. */
function withMarkers<T>(use: (markers: Storage) => T): T | undefined {
  try {
    return use(globalThis.localStorage);
  } catch {
    return undefined;
  }
}
