/** Turns of the microtask queue within which what awaited a call goes on, also below a few layers of `await`. */
const TURNS = 32;

/**
 * Tells calls that a transaction's callback makes from all others: they come while the callback starts, or in
 * the microtasks right after one of its own calls was answered. Nothing else can come between those, as every
 * answer of the worker is a task of its own.
 */
export class CallScope {
  #depth = 0;

  /** Whether the code that runs now belongs to the callback. */
  get isInside(): boolean {
    return this.#depth > 0;
  }

  /** What runs now, and what goes on from it right after, belongs to the callback. */
  enter(): void {
    this.#depth += 1;
    void this.#leave();
  }

  async #leave(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await undefined;
    this.#depth -= 1;
  }
}
