import { checkedText } from '../check.js';
import type { Parsers, QueryOptions, Results, Row } from '../interface.js';
import { batchOptions, checkedTexts, queryOptions } from '../options.js';
import { type Param, toParams } from '../values/params.js';
import { readResults } from '../values/result.js';
import type { WorkerClient } from '../worker-client.js';

/** A call that is checked: nothing of it can change or fail any more before it is sent. */
export interface Call {
  readonly sql: string;
  readonly params: Param[];
  readonly options: QueryOptions;
}

/** One statement, or a script, that has no parameters. */
export function call(sql: unknown, params?: unknown, options?: unknown): Call {
  return {
    sql: checkedText('sql', sql),
    params: toParams(params),
    options: queryOptions(options),
  };
}

/** Several statements, checked. */
export interface BatchCall {
  readonly statements: readonly string[];
  readonly signal: AbortSignal | undefined;
}

export function batchCall(statements: unknown, options: unknown): BatchCall {
  const { signal } = batchOptions(options);
  return { statements: checkedTexts('statements', statements), signal };
}

/** Sends statements to the worker and makes rows of what comes back. */
export class Runner {
  readonly client: WorkerClient;
  readonly #parsers: Parsers | undefined;

  constructor(client: WorkerClient, parsers: Parsers | undefined) {
    this.client = client;
    this.#parsers = parsers;
  }

  async query<T>({ sql, params, options }: Call): Promise<Results<T>> {
    const { signal } = options;
    const message = await this.client.request('query', { sql, params }, { query: sql, signal });
    return readResults(message, this.#withParsers(options))[0] as Results<T>;
  }

  async exec({ sql, options }: Call): Promise<Results[]> {
    const { signal } = options;
    const message = await this.client.request('exec', { sql }, { query: sql, signal });
    return readResults(message, this.#withParsers(options)) as Results<Row>[];
  }

  async executeBatch({ statements, signal }: BatchCall): Promise<number> {
    const { affectedRows } = await this.client.request(
      'executeBatch',
      { statements },
      { query: statements, signal },
    );
    return affectedRows;
  }

  /** One statement, whose values come as they are, whatever parsers there are. */
  async queryPlain(sql: string, params?: readonly unknown[]): Promise<Results<unknown>> {
    const args = { sql, params: toParams(params) };
    const message = await this.client.request('query', args, { query: sql });
    return readResults(message, { rowMode: 'array' })[0] as Results<unknown>;
  }

  #withParsers(options: QueryOptions): QueryOptions {
    if (this.#parsers === undefined) return options;
    return { ...options, parsers: { ...this.#parsers, ...options.parsers } };
  }
}
