import { VarveError } from '../errors.js';
import type { BatchOptions, QueryOptions, Results, Row, Transaction } from '../interface.js';
import type { LargeObjects } from '../large-objects/interface.js';
import { StoredLargeObjects } from '../large-objects/large-objects.js';
import { type Run, writeInside } from '../large-objects/write.js';
import type { CallScope } from './call-scope.js';
import { batchCall, call, type Runner } from './runner.js';
import { templateText } from './sql-tag.js';

/** The transaction that a callback is given. */
class OpenTransaction implements Transaction {
  readonly #runner: Runner;
  readonly #scope: CallScope;
  readonly largeObjects: LargeObjects;
  #closed = false;

  constructor(runner: Runner, scope: CallScope) {
    this.#runner = runner;
    this.#scope = scope;
    const run: Run = (...given) => this.#inScope(() => this.#runner.queryPlain(...given));
    this.largeObjects = new StoredLargeObjects(run, (...given) => writeInside(run, ...given));
  }

  get closed(): boolean {
    return this.#closed;
  }

  query<T = Row>(
    sql: string,
    params?: readonly unknown[] | null,
    options?: QueryOptions,
  ): Promise<Results<T>> {
    return this.#inScope(() => this.#runner.query<T>(call(sql, params, options)));
  }

  sql<T = Row>(text: TemplateStringsArray, ...params: readonly unknown[]): Promise<Results<T>> {
    return this.#inScope(() => this.#runner.query<T>(call(templateText(text), params)));
  }

  exec(sql: string, options?: QueryOptions): Promise<Results[]> {
    return this.#inScope(() => this.#runner.exec(call(sql, undefined, options)));
  }

  executeBatch(statements: readonly string[], options?: BatchOptions): Promise<number> {
    return this.#inScope(() => this.#runner.executeBatch(batchCall(statements, options)));
  }

  async rollback(): Promise<void> {
    await this.#inScope(() => this.undo());
  }

  /** Not as a statement: those are refused while a part of the engine cannot be loaded. */
  async undo(): Promise<void> {
    this.#closed = true;
    await this.#runner.client.request('rollback', {});
  }

  async commit(): Promise<void> {
    this.#closed = true;
    const { command } = await this.#runner.query(call('COMMIT')).catch(async (error) => {
      // The engine has not heard of it, and what comes next would be part of the transaction.
      if (wasRefused(error)) await this.undo().catch(() => undefined);
      throw error;
    });
    if (command !== 'COMMIT') {
      throw new VarveError({
        code: '25P02',
        message: 'the transaction was rolled back, as one of its statements had failed',
      });
    }
  }

  async #inScope<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closed) {
      throw new VarveError({ code: 'closed', message: 'the transaction is closed' });
    }
    return this.#scope.during(run);
  }
}

/** Whether a call did not enter the engine, because a part of it could not be loaded. */
function wasRefused(error: unknown): boolean {
  return error instanceof VarveError && error.failure === 'wasm_load_failed';
}

/** Runs `run` between BEGIN and COMMIT, or ROLLBACK when it rejects. */
export async function runTransaction<T>(
  runner: Runner,
  scope: CallScope,
  run: (tx: Transaction) => Promise<T> | T,
): Promise<T> {
  await runner.query(call('BEGIN'));
  const tx = new OpenTransaction(runner, scope);
  let value: T;
  try {
    scope.enter();
    value = await run(tx);
    scope.end();
  } catch (error) {
    scope.end();
    // What went wrong first is what the caller must hear of.
    if (!tx.closed) await tx.undo().catch(() => undefined);
    throw error;
  }
  if (!tx.closed) await tx.commit();
  return value;
}
