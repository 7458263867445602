import { canceled } from '../canceled.js';

/** Runs tasks one after another, in the order in which they came, as one session of the engine must. */
export class Lane {
  #tail: Promise<unknown> = Promise.resolve();
  /** Tasks that have not ended. */
  #count = 0;
  #running: number | undefined;
  readonly #waiting = new Set<number>();
  readonly #canceled = new Set<number>();
  readonly #interrupt: () => void;

  /** `interrupt` asks the task that is running to stop. */
  constructor(interrupt: () => void) {
    this.#interrupt = interrupt;
  }

  /** Starts the task at once if there is no other. */
  run<T>(id: number, task: () => T | Promise<T>): Promise<T> {
    this.#count += 1;
    const result = this.#count === 1 ? this.#start(id, task) : this.#wait(id, task);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  #wait<T>(id: number, task: () => T | Promise<T>): Promise<T> {
    this.#waiting.add(id);
    return this.#tail.then(() => this.#start(id, task));
  }

  async #start<T>(id: number, task: () => T | Promise<T>): Promise<T> {
    try {
      this.#waiting.delete(id);
      if (this.#canceled.delete(id)) throw canceled();
      this.#running = id;
      return await task();
    } finally {
      this.#running = undefined;
      this.#count -= 1;
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
