/** Codes of the client itself, words so that they never meet a SQLSTATE. */
export type ClientErrorCode =
  /** Another tab, or another instance in this one, has the store open. */
  | 'store_locked'
  /** The engine could not be fetched, compiled or started. */
  | 'wasm_load_failed'
  /** The worker ended or crashed; what was under way may or may not have been committed. */
  | 'worker_died'
  /** The database, or the transaction, was closed before or during the call. */
  | 'closed'
  /** A later version of the package wrote the store. */
  | 'format_too_new'
  /** The stored data cannot be read; `VarveDB.repair` may put it right. */
  | 'corrupt'
  /** The browser, or the user, deleted the stored data. */
  | 'evicted'
  /** There are no workers here, as on a server. */
  | 'unsupported_environment'
  /** A call was given what it does not take; the message names the argument. */
  | 'invalid_argument';

/** A client code, or the five characters of a SQLSTATE. */
export type ErrorCode = ClientErrorCode | (string & {});

/**
 * What a caller could do about an error: `statement` change the SQL, its parameters or the data;
 * `conflict` run the transaction again; `canceled` nothing, it was asked for; `storage` free space or
 * restore; `unavailable` open the database again, or elsewhere; `internal` report a bug.
 */
export type ErrorKind =
  | 'statement'
  | 'conflict'
  | 'canceled'
  | 'storage'
  | 'unavailable'
  | 'internal';

/**
 * Which failure of the engine it was, where neither the statement nor its data is at fault. Finer than the code,
 * which several failures share, and which statements answer for reasons of their own.
 */
export type Failure =
  /** A concurrent commit was first: run the transaction again. */
  | 'conflict'
  /** It was asked for, or the time was up. */
  | 'canceled'
  /** The store is open elsewhere: close it there. */
  | 'locked'
  /** The store was opened elsewhere since: this database takes no more commits. */
  | 'fenced'
  /** The stored data is gone. */
  | 'evicted'
  /** The store was closed. */
  | 'closed'
  /** The disk or the quota is full: delete rows, or make room. */
  | 'storage_full'
  /** The memory limit was reached. */
  | 'out_of_memory'
  /** Stored data is damaged: `VarveDB.repair` may put it right. */
  | 'corrupt'
  /** A later version of the package wrote the store. */
  | 'format_too_new'
  /** An earlier write was interrupted: roll back, or open the database again, as the message says. */
  | 'interrupted'
  /** A part of the engine could not be loaded: the next call tries again. */
  | 'wasm_load_failed'
  /** The browser could not read or write: try again. */
  | 'io'
  /** A bug. */
  | 'internal';

/** An error as plain data, as it crosses from the worker. Names are PostgreSQL's. */
export interface ErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly failure?: Failure | undefined;
  /** Where in the statement, in characters, from 1. */
  readonly position?: number | undefined;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** In what it arose; for an import the table, line and column. */
  readonly where?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly constraint?: string | undefined;
  readonly dataType?: string | undefined;
  /** Which statement of `executeBatch` it was, from 0. */
  readonly statementIndex?: number | undefined;
  /** Where the storage is full (`53100`): bytes that the origin has and may have, if the browser says so. */
  readonly usage?: number | undefined;
  readonly quota?: number | undefined;
}

/** By code, or by the class that its first two characters name. */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  invalid_argument: 'statement',
  '57014': 'canceled',
  XX001: 'storage',
  '08P01': 'statement',
  '40': 'conflict',
  '53': 'storage',
  '58': 'storage',
  '57': 'unavailable',
  '08': 'unavailable',
  XX: 'internal',
};

function kindOf(code: ErrorCode, failure: Failure | undefined): ErrorKind {
  if (failure === 'wasm_load_failed') return 'unavailable';
  const known = KINDS[code];
  if (known !== undefined || code.length !== 5) return known ?? 'unavailable';
  return KINDS[code.slice(0, 2)] ?? 'statement';
}

/**
 * Every error of this package. It is the same object whether the engine, the worker or the client found it.
 *
 * @example
 * try {
 *   await db.query('SELECT nme FROM item');
 * } catch (e) {
 *   if (e instanceof VarveError && e.code === '42703') console.log(e.snippet());
 * }
 */
export class VarveError extends Error implements ErrorFields {
  override readonly name = 'VarveError';
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly failure?: Failure | undefined;
  readonly position?: number | undefined;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  readonly where?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly constraint?: string | undefined;
  readonly dataType?: string | undefined;
  /** Which statement of `executeBatch` it was, from 0. */
  readonly statementIndex?: number | undefined;
  /** Where the storage is full (`53100`): bytes that the origin has and may have, if the browser says so. */
  readonly usage?: number | undefined;
  readonly quota?: number | undefined;
  /** The SQL text that was run, or its beginning: an error that is kept must not keep megabytes with it. */
  readonly query?: string | undefined;
  readonly #snippet: string;

  constructor(fields: ErrorFields, more: { query?: string | undefined; cause?: unknown } = {}) {
    super(fields.message, 'cause' in more ? { cause: more.cause } : undefined);
    this.code = fields.code;
    this.kind = kindOf(fields.code, fields.failure);
    this.failure = fields.failure;
    this.position = fields.position;
    this.detail = fields.detail;
    this.hint = fields.hint;
    this.where = fields.where;
    this.table = fields.table;
    this.column = fields.column;
    this.constraint = fields.constraint;
    this.dataType = fields.dataType;
    this.statementIndex = fields.statementIndex;
    this.usage = fields.usage;
    this.quota = fields.quota;
    this.query = cut(more.query);
    this.#snippet = snippetOf(more.query, fields.position);
  }

  /** The line of the statement that the error is about, with a caret under the place; empty when it has none. */
  snippet(): string {
    return this.#snippet;
  }
}

/** Of a text and of a line of it, so many characters are kept. */
const QUERY_KEPT_MAX = 4096;
const LINE_SHOWN_MAX = 1024;

function cut(query: string | undefined): string | undefined {
  if (query === undefined || query.length <= QUERY_KEPT_MAX) return query;
  return `${query.slice(0, QUERY_KEPT_MAX - 1)}…`;
}

function snippetOf(query: string | undefined, position: number | undefined): string {
  if (query === undefined || position === undefined) return '';
  const place = unitOf(query, position);
  const begin = query.slice(0, place).lastIndexOf('\n') + 1;
  const close = query.indexOf('\n', place);
  const end = close < 0 ? query.length : close;
  const start = Math.max(begin, place - LINE_SHOWN_MAX / 2);
  const line = query.slice(start, Math.min(end, start + LINE_SHOWN_MAX));
  return `${line}\n${query.slice(start, place).replace(/[^\t]/gu, ' ')}^`;
}

/** Where the character of this number, from 1, is: some take two units of the string. */
function unitOf(text: string, position: number): number {
  let unit = 0;
  for (let passed = 1; passed < position && unit < text.length; passed += 1) {
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return unit;
}
