import type { StorageSpace } from './interface.js';

/** How the page hears of it. */
type Tell = (isFull: boolean, space: StorageSpace) => void;

let tell: Tell | undefined;
let told: Promise<void> = Promise.resolve();

/** Who is told from now on. */
export function tellOfSpace(to: Tell): void {
  tell = to;
}

/** What the engine calls when the storage becomes full, and when there is room again. */
export function spaceChanged(isFull: boolean): void {
  told = told.then(async () => tell?.(isFull, await estimate()));
}

/** What the browser says of the space, once all changes have been told: an error comes behind its event. */
export async function spaceNow(): Promise<StorageSpace> {
  await told;
  return estimate();
}

async function estimate(): Promise<StorageSpace> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return { usage, quota };
  } catch {
    // There is none on pages that do not come over HTTPS.
    return {};
  }
}
