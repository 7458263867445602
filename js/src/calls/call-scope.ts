import { VarveError } from '../errors.js';

/** Turns of the microtask queue within which what awaited a call goes on, also below a few layers of `await`. */
const TURNS = 32;

type Leave = (error: VarveError) => void;

/**
 * Tells calls on the database that a transaction's callback makes and waits for, which would wait for ever: they
 * come while the callback starts, or in the microtasks right after one of its own calls was answered, and the
 * transaction then stands still. While it goes on, the call may as well be another's that was woken in that moment.
 */
export class CallScope {
  #depth = 0;
  /** Calls of the transaction that are under way. */
  #calls = 0;
  readonly #suspects: Leave[] = [];
  #hasEnded = false;

  /** Whether the code that runs now may belong to the callback. */
  get isInside(): boolean {
    return this.#depth > 0 && !this.#hasEnded;
  }

  /** What a call that waits for the transaction is judged by; nothing for one that comes from outside. */
  get suspicion(): ((leave: Leave) => void) | undefined {
    if (!this.isInside) return undefined;
    return (leave) => {
      this.#suspects.push(leave);
      this.#judgeSoon();
    };
  }

  /** What runs now, and what goes on from it right after, belongs to the callback. */
  enter(): void {
    this.#depth += 1;
    void this.#leave();
  }

  /** A call of the transaction itself. */
  async during<T>(run: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await run();
    } finally {
      this.#calls -= 1;
      this.enter();
      this.#judgeSoon();
    }
  }

  /** The callback has settled: whoever waits for the transaction waits for its end only. */
  end(): void {
    this.#hasEnded = true;
  }

  async #leave(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await undefined;
    this.#depth -= 1;
  }

  /** After a turn in which the callback could have gone on: it has not when no call of it is under way. */
  #judgeSoon(): void {
    if (this.#suspects.length === 0) return;
    setTimeout(() => {
      if (this.#calls > 0 || this.#hasEnded) return;
      for (const leave of this.#suspects.splice(0)) leave(insideError());
    });
  }
}

function insideError(): VarveError {
  return new VarveError({
    code: '25001',
    message: 'a call on the database inside the callback of its transaction',
    hint: 'Call it on the transaction that the callback is given.',
  });
}
