import { byId } from './dom';

/** Tells those who do not see the page what has changed on it. */
export function announce(text: string): void {
  byId('announcer', HTMLDivElement).textContent = text;
}
