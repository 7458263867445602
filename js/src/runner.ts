import type { BatchOptions, Parsers, QueryOptions, Results, Row } from './interface.js';
import { toParams } from './params.js';
import { readResults } from './result.js';
import type { WorkerClient } from './worker-client.js';

/** Sends statements to the worker and makes rows of what comes back. */
export class Runner {
  readonly client: WorkerClient;
  readonly #parsers: Parsers | undefined;

  constructor(client: WorkerClient, parsers: Parsers | undefined) {
    this.client = client;
    this.#parsers = parsers;
  }

  async query<T>(
    sql: string,
    params?: readonly unknown[] | null,
    options: QueryOptions = {},
  ): Promise<Results<T>> {
    const args = { sql, params: toParams(params) };
    const message = await this.client.request('query', args, {
      query: sql,
      signal: options.signal,
    });
    return readResults(message, this.#withParsers(options))[0] as Results<T>;
  }

  async exec(sql: string, options: QueryOptions = {}): Promise<Results[]> {
    const message = await this.client.request(
      'exec',
      { sql },
      { query: sql, signal: options.signal },
    );
    return readResults(message, this.#withParsers(options)) as Results<Row>[];
  }

  async executeBatch(statements: readonly string[], options: BatchOptions = {}): Promise<number> {
    const { affectedRows } = await this.client.request(
      'executeBatch',
      { statements },
      { query: statements, signal: options.signal },
    );
    return affectedRows;
  }

  #withParsers(options: QueryOptions): QueryOptions {
    if (this.#parsers === undefined) return options;
    return { ...options, parsers: { ...this.#parsers, ...options.parsers } };
  }
}
