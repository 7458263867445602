import { canceled } from '../canceled.js';
import type { VarveError } from '../errors.js';

/** Told how a call that waits can be made to leave; nothing happens when its time has come. */
type Waits = (leave: (error: VarveError) => void) => void;

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

  /** Starts `run` when the gate is open. While it waits, what `waits` is given makes it leave with an error. */
  pass<T>(run: () => Promise<T>, signal?: AbortSignal, waits?: Waits): Promise<T> {
    return this.#isClosed ? this.#wait(false, run, signal, waits) : run();
  }

  /** Starts `run` when the gate is open, and closes it until `run` has ended. */
  alone<T>(run: () => Promise<T>, signal?: AbortSignal, waits?: Waits): Promise<T> {
    const inside = () => run().finally(() => this.open());
    if (this.#isClosed) return this.#wait(true, inside, signal, waits);
    this.#isClosed = true;
    return inside();
  }

  #wait<T>(
    isAlone: boolean,
    run: () => Promise<T>,
    signal?: AbortSignal,
    waits?: Waits,
  ): Promise<T> {
    if (signal?.aborted) return Promise.reject(canceled(signal.reason));
    return new Promise((resolve, reject) => {
      const waiting = {
        isAlone,
        start: () => {
          signal?.removeEventListener('abort', abort);
          resolve(run());
        },
      };
      const leave = (error: VarveError) => {
        const at = this.#waiting.indexOf(waiting);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        reject(error);
      };
      const abort = () => leave(canceled(signal?.reason));
      this.#waiting.push(waiting);
      waits?.(leave);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
