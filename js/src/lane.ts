import { canceled } from './canceled.js';

/** Runs tasks one after another, in the order in which they came, as one session of the engine must. */
export class Lane {
  #tail: Promise<unknown> = Promise.resolve();
  #running: number | undefined;
  readonly #waiting = new Set<number>();
  readonly #canceled = new Set<number>();
  readonly #interrupt: () => void;

  /** `interrupt` asks the task that is running to stop. */
  constructor(interrupt: () => void) {
    this.#interrupt = interrupt;
  }

  run<T>(id: number, task: () => Promise<T>): Promise<T> {
    this.#waiting.add(id);
    const result = this.#tail.then(() => this.#start(id, task));
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async #start<T>(id: number, task: () => Promise<T>): Promise<T> {
    this.#waiting.delete(id);
    if (this.#canceled.delete(id)) throw canceled();
    this.#running = id;
    try {
      return await task();
    } finally {
      this.#running = undefined;
    }
  }

  /** Stops the task of this id, before it starts if it has not; nothing happens when it has ended. */
  cancel(id: number): void {
    if (this.#running === id) this.#interrupt();
    else if (this.#waiting.has(id)) this.#canceled.add(id);
  }

  /** Stops all tasks and resolves when none is left. */
  async drain(): Promise<void> {
    for (const id of this.#waiting) this.#canceled.add(id);
    if (this.#running !== undefined) this.#interrupt();
    await this.#tail;
  }
}
