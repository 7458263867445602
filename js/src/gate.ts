import { canceled } from './canceled.js';

interface Waiting {
  readonly isAlone: boolean;
  start(): void;
}

/**
 * Lets calls through in the order in which they came, and at once while nobody is inside alone. A call starts
 * in the same turn in which its time has come, so that what it posts keeps that order too.
 */
export class Gate {
  readonly #waiting: Waiting[] = [];
  #isClosed = true;

  /** Lets those who wait through, up to the next one that must be alone. A new gate is closed. */
  open(): void {
    this.#isClosed = false;
    while (!this.#isClosed) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#isClosed = next.isAlone;
      next.start();
    }
  }

  /** Starts `run` when the gate is open. */
  pass<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#isClosed ? this.#wait(false, run, signal) : run();
  }

  /** Starts `run` when the gate is open, and closes it until `run` has ended. */
  alone<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const inside = () => run().finally(() => this.open());
    if (this.#isClosed) return this.#wait(true, inside, signal);
    this.#isClosed = true;
    return inside();
  }

  #wait<T>(isAlone: boolean, run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(canceled(signal.reason));
    return new Promise((resolve, reject) => {
      const waiting = {
        isAlone,
        start: () => {
          signal?.removeEventListener('abort', abort);
          resolve(run());
        },
      };
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(canceled(signal?.reason));
      };
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
