/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The contract of the package: what `VarveDB` offers and what its calls take and give. Names, results,
 * OIDs and value mapping follow PGlite, so that clients written for it work unchanged.
 */

import type { Failure } from './errors.js';
import type { LargeObjects } from './large-objects/interface.js';

/** Turns the text form of a value, as PostgreSQL prints it, into what the row shall hold. */
export type Parser = (text: string, dataTypeID: number) => unknown;

/** Parsers by the OID of the type; see `types` for the OIDs. */
export type Parsers = Readonly<Record<number, Parser>>;

/** `object`: one object a row, by column name. `array`: one array a row, in the order of the fields. */
export type RowMode = 'object' | 'array';

/** What the engine wants to be known, and is no error. */
export interface Notice {
  /** `NOTICE` or `WARNING`. */
  readonly severity: string;
  /** SQLSTATE. */
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** Options of one call. */
export interface QueryOptions {
  /** Default `object`. With two columns of one name, an object holds the later one; an array holds both. */
  readonly rowMode?: RowMode | undefined;
  /** Take precedence over those given to `create`. NULL is never parsed. */
  readonly parsers?: Parsers | undefined;
  /** Cancels the statement: the call rejects with code `57014`. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each notice before the call resolves. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

/** Options of `executeBatch`. */
export interface BatchOptions {
  /** Cancels the batch, of which nothing has happened then: the call rejects with code `57014`. */
  readonly signal?: AbortSignal | undefined;
}

/** A column of a result. */
export interface Field {
  readonly name: string;
  /** The OID of the PostgreSQL type. */
  readonly dataTypeID: number;
}

/** The result of one statement. */
export interface Results<T = Row> {
  readonly rows: T[];
  readonly fields: readonly Field[];
  /** Rows that INSERT, UPDATE, DELETE or COPY changed; 0 for other statements. */
  readonly affectedRows: number;
  /** The first word of the command: `SELECT`, `INSERT`, `CREATE`. */
  readonly command: string;
  /** Rows returned or changed; missing for commands without rows, such as CREATE. */
  readonly rowCount?: number;
}

/** A row whose shape is not known. */
export type Row = Record<string, unknown>;

/** What runs statements: a database, or a transaction in it. */
export interface Queryable {
  /** Values that go in and out in pieces. */
  readonly largeObjects: LargeObjects;

  /**
   * Runs one statement with parameters `$1`, `$2`, … Buffers and their views are bytes, but a
   * `Float64Array` or `Float32Array` is an array where the statement expects one; an array is JSON where it expects
   * `json` or `jsonb`; other objects go as JSON.
   *
   * @example
   * const { rows } = await db.query<{ id: number }>('SELECT id FROM item WHERE name = $1', ['tea']);
   */
  query<T = Row>(
    sql: string,
    params?: readonly unknown[] | null,
    options?: QueryOptions,
  ): Promise<Results<T>>;

  /**
   * Runs one statement; interpolated values become parameters.
   *
   * @example
   * await db.sql`DELETE FROM item WHERE name = ${name}`;
   */
  sql<T = Row>(text: TemplateStringsArray, ...params: readonly unknown[]): Promise<Results<T>>;

  /**
   * Runs any number of statements without parameters, and gives one result for each.
   *
   * @example
   * await db.exec('CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2)');
   */
  exec(sql: string, options?: QueryOptions): Promise<Results[]>;

  /**
   * Runs statements without parameters as one: all of them happen or none. Gives how many rows they have
   * changed in all. What it rejects with has the number of the statement that failed as `statementIndex`; in a
   * transaction, what was done before stays.
   *
   * @example
   * await db.executeBatch(['DELETE FROM item WHERE price > 5', "INSERT INTO item VALUES (3, 'tea', 4)"]);
   */
  executeBatch(statements: readonly string[], options?: BatchOptions): Promise<number>;
}

/** A transaction under way. */
export interface Transaction extends Queryable {
  /** Undoes everything and closes the transaction; the callback may still resolve. */
  rollback(): Promise<void>;
  /** Whether it was committed or rolled back. Calls on a closed transaction reject. */
  readonly closed: boolean;
}

/** How far an import is. */
export interface CopyProgress {
  /** Bytes that the engine has taken. */
  readonly bytes: number;
  /** All bytes, where the source says how many there are (a Blob or a string). */
  readonly totalBytes?: number;
  /** Rows that the engine has read. */
  readonly rows: number;
}

/** Options of `copyFrom`; the format is CSV as PostgreSQL's COPY reads it. */
export interface CopyOptions {
  /** The columns that the file holds, in its order. Default: all of the table, in the table's order. */
  readonly columns?: readonly string[] | undefined;
  /** Whether the first line names the columns and is skipped. Default false. */
  readonly header?: boolean | undefined;
  /** One character. Default a comma. */
  readonly delimiter?: string | undefined;
  /** The unquoted text that stands for NULL. Default the empty string. */
  readonly null?: string | undefined;
  /** Called after every chunk that the engine has taken. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Stops the import, which then leaves nothing behind: the call rejects with code `57014`. */
  readonly signal?: AbortSignal | undefined;
}

/** What `copyFrom` did. */
export interface CopyResult {
  readonly rowCount: number;
  readonly bytes: number;
}

/** A database whose scripts `execScript` translates: what `sqlite3 app.db .dump` or `mysqldump` print. */
export type DialectName = 'sqlite' | 'mysql';

/** Options of `execScript`. */
export interface ScriptOptions {
  /**
   * The script is one of another database's. It is translated, by a module that is fetched when it is first used, and
   * runs as one: all of it or nothing. What cannot be translated rejects with code `0A000` and its line.
   */
  readonly dialect?: DialectName | undefined;
  /** With `dialect`: leaves out, with a warning, what cannot be translated or fails, and keeps the rest. */
  readonly partial?: boolean | undefined;
  /** With `dialect`: `varve_dialect_bg.wasm`, where it is not beside the package's own files. */
  readonly dialectWasm?: string | URL | Response | WebAssembly.Module | undefined;
  /** Called for each notice, for what `\echo` says, and for each command that is ignored. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Stops the script where it is: the call rejects with code `57014`. */
  readonly signal?: AbortSignal | undefined;
}

/** What `execScript` did. */
export interface ScriptResult {
  /** Statements that were run. */
  readonly statements: number;
  /** Rows of COPY data. */
  readonly copied: number;
  /** Commands that mean nothing here, such as `\connect chinook`, or `PRAGMA foreign_keys=OFF` of a dialect. */
  readonly ignored: readonly string[];
}

/** What `copyFrom` reads: CSV as a file, a stream of chunks, or text. */
export type CopySource = Blob | ReadableStream<Uint8Array | string> | string;

/**
 * The values of one column. Numbers go into every type that has the same number (`22003` elsewhere), strings are
 * read as the type's text, integers count days in a `date` and microseconds in a `timestamp`.
 */
export type BulkColumn =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | Float32Array
  | Float64Array
  | readonly (string | null | undefined)[]
  | readonly (number | null | undefined)[]
  | readonly (bigint | null | undefined)[]
  | readonly (boolean | null | undefined)[]
  | readonly (Date | null | undefined)[];

/** Columns of one length by their names. Columns of the table that are not among them become NULL. */
export type BulkColumns = Readonly<Record<string, BulkColumn>>;

/** What `bulkLoad` reads: columns, or batches of them, all with the same names. */
export type BulkSource = BulkColumns | Iterable<BulkColumns> | AsyncIterable<BulkColumns>;

/** Options of `bulkLoad`. */
export interface BulkLoadOptions {
  /** Whether the primary key, one integer column that is not given, counts on from the greatest one there is. */
  readonly autoId?: boolean | undefined;
  /** So many rows are given to the engine at a time. Default 65,536. */
  readonly batchRows?: number | undefined;
  /** Called after every batch that the engine has taken. */
  readonly onProgress?: ((progress: { readonly rows: number }) => void) | undefined;
  /** Stops the load, which then leaves nothing behind: the call rejects with code `57014`. */
  readonly signal?: AbortSignal | undefined;
}

/** What `bulkLoad` did. */
export interface BulkLoadResult {
  readonly rowCount: number;
  /** Bytes that the rows take in storage, for good. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly rowsPerSecond: number;
  /** The greatest key, where that is one integer column, or row id; null for other keys and without rows. */
  readonly maxRowId: bigint | null;
}

/**
 * What a commit survives: `strict` a power failure, `relaxed` the end of the tab or of the browser. `async` answers
 * at once and is written within a bounded delay, 50 ms when nothing else holds it up: what ends before is lost.
 * What is lost is always the last commits, never one before another.
 */
export type Durability = 'strict' | 'relaxed' | 'async';

/** What `check` read, and what was wrong with it. */
export interface CheckReport {
  /** Values read: records, heads and pages. */
  readonly values: number;
  readonly bytes: number;
  /** Stored rows, deleted ones included that still take space. */
  readonly rows: number;
  /** Empty for a sound database. */
  readonly problems: readonly {
    readonly code: string;
    readonly failure?: Failure;
    readonly message: string;
    /** Null where a record of the store is concerned. */
    readonly table: string | null;
  }[];
}

/** What a database counts since it was opened, and what it holds now. */
export interface Stats {
  /** By name: the rows of the view `varve_statistics`, among them the time that each phase of statements took. */
  readonly statistics: Readonly<Record<string, number>>;
  /** By name: the rows of the view `varve_caches`. */
  readonly caches: Readonly<Record<CacheName, CacheCounters>>;
}

/** The caches of a database: of parsed and planned statements, and the store's. */
export type CacheName = 'dictionary' | 'parse' | 'plan' | 'page' | 'group' | 'row';

/** What one cache counts. */
export interface CacheCounters {
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  readonly entries: number;
  readonly bytes: number;
  /** Of entries, or of bytes: what the cache's setting counts. */
  readonly capacity: number;
}

/** What `VarveDB.repair` did; all empty where nothing had to be done. */
export interface RepairReport {
  /** Records that were put back from their copies. */
  readonly restored: readonly string[];
  /** The first commit that is lost. */
  readonly firstCommitLost: number | null;
  /** Commits behind it that could be read, and were applied again. */
  readonly commitsKeptAfter: number;
  /** Tables of which rows had to be saved. */
  readonly tables: readonly {
    readonly table: string | null;
    readonly rowsKept: number;
    readonly rowsLost: number;
    /** Up to so many deleted rows may be back. */
    readonly deletedRowsBackMax: number;
    readonly errors: readonly string[];
  }[];
}

/** Options of `export`. */
export interface ExportOptions {
  /** The contents of an earlier export of this database, whose data are left out. */
  readonly since?: Uint8Array | undefined;
  /** Called when the export has been read to its end, with its contents, for a later one to go on from. */
  readonly onContents?: ((contents: Uint8Array<ArrayBuffer>) => void) | undefined;
}

/** Options of `maintenance`. */
export interface MaintenanceOptions {
  /** No work begins after so many milliseconds; what has begun is finished. Default: as long as there is some. */
  readonly budgetMs?: number | undefined;
}

/** What `maintenance` has left. */
export interface MaintenanceResult {
  /** Whether nothing is due any more. */
  readonly isIdle: boolean;
}

/** Options of `dumpSql`. */
export interface DumpOptions {
  /** `schema`: only what makes the objects. `data`: only rows and the values of sequences. Default: both. */
  readonly only?: 'schema' | 'data' | undefined;
  /** Whether rows come as INSERT statements instead of COPY. Default false. */
  readonly inserts?: boolean | undefined;
}

/**
 * What `VarveDB.import` reads: an export, and behind it those that go on from it, in their order. A Blob or a
 * Uint8Array may be compressed by gzip.
 */
export type ImportSource = Blob | ReadableStream<Uint8Array> | Uint8Array;

/** Where the package's files are, for bundlers and servers that move them. */
export interface EngineOptions {
  /** The engine, `varve_bg.wasm`, where it is not beside the package's own files. */
  readonly wasm?: string | URL | Response | WebAssembly.Module | undefined;
  /**
   * Its second part, `varve_rest_bg.wasm`, which holds what pages seldom run. Where `wasm` is an address that ends
   * with `/varve_bg.wasm`, it is looked for beside it.
   */
  readonly restWasm?: string | URL | Response | WebAssembly.Module | undefined;
  /**
   * What compresses by zstd, `varve_zstd_bg.wasm`, fetched when a table or a function asks for it. It is looked for
   * as `restWasm` is.
   */
  readonly zstdWasm?: string | URL | Response | WebAssembly.Module | undefined;
  /** Starts the worker, where the bundler cannot find `varvedb/worker` by itself. */
  readonly worker?: (() => Worker) | undefined;
}

/**
 * What opens an encrypted database: a passphrase, or a `CryptoKey` of AES-GCM with 256 bits for `encrypt` and
 * `decrypt`, which need not be extractable.
 */
export type Encryption = { readonly passphrase: string } | { readonly key: CryptoKey };

/** Options of `repair`. */
export interface RepairOptions extends EngineOptions {
  /** The key of an encrypted database. */
  readonly encryption?: Encryption | undefined;
}

/** Options of `create`. */
export interface VarveDBOptions extends EngineOptions {
  /** Where the data is, instead of as first argument: `idb://name`, or `memory://`, the default. */
  readonly dataDir?: string | undefined;
  /** Bytes that caches, unflushed rows and running statements may take together. */
  readonly memoryLimit?: number | undefined;
  /** Default `relaxed`. A session may change it: `SET varve.durability = strict`, or `SET LOCAL` in a transaction. */
  readonly durability?: Durability | undefined;
  /**
   * Whether a store that is not there is the error `evicted` instead of a new one: for an application that knows
   * that it has data here.
   */
  readonly mustExist?: boolean | undefined;
  /**
   * Encrypts what is stored: a new database is made so, and one that is there is opened. With a wrong key it rejects
   * with code `28P01`, with none at all with `28000`, and where the stored data is not encrypted with `55000`.
   */
  readonly encryption?: Encryption | undefined;
  /** Parsers for every call. */
  readonly parsers?: Parsers | undefined;
  /** What a new database is made of: see `VarveDB.import`. Where there is one already it is the error `55000`. */
  readonly loadDataDir?: ImportSource | undefined;
}

/**
 * What an open found: a store, no store, or no store although this page has had one of this name open. Then the
 * browser or the user has emptied it.
 */
export type Opened = 'existing' | 'created' | 'evicted';

/**
 * What the browser says of the space that the origin has: estimates in bytes, missing where it gives none. Chromium's
 * quota is 10 GiB more than what is used, whatever it grants.
 */
export interface StorageSpace {
  readonly usage?: number | undefined;
  readonly quota?: number | undefined;
}

/** What a database tells by itself. */
export interface DatabaseEvents {
  /** The storage is full: what adds rows is refused with `53100`, everything else goes on. */
  'storage:full': StorageSpace;
  /** There is room again, as far as is known. */
  'storage:available': StorageSpace;
}

/** A database. Calls may be made before it is ready; they run in the order in which they were made. */
export interface Database extends Queryable, AsyncDisposable {
  /** Whether it is open. */
  readonly ready: boolean;
  /** Whether it was closed, or lost its worker. */
  readonly closed: boolean;
  /** Resolves when it is open, rejects when it cannot be opened. */
  readonly waitReady: Promise<void>;
  /** What was found when it was opened; undefined before that. */
  readonly opened: Opened | undefined;

  /**
   * Calls `listener` whenever that happens, and gives what ends it.
   *
   * @example
   * db.on('storage:full', ({ usage, quota }) => offerToDelete(usage, quota));
   */
  on<K extends keyof DatabaseEvents>(
    event: K,
    listener: (detail: DatabaseEvents[K]) => void,
  ): () => void;

  /**
   * Runs `run` in a transaction: commits when it resolves, rolls back when it rejects, and gives what it gave.
   *
   * Other calls on the database wait until the transaction ends, so use `tx` inside: a call on the database
   * itself is refused there with code `25001`, once nothing of the transaction is under way any more. After waiting for something that is not of the database,
   * such as `fetch`, it cannot be told from outside calls any more, and waits for ever when awaited.
   *
   * @example
   * await db.transaction(async (tx) => {
   *   await tx.sql`UPDATE account SET amount = amount - 5 WHERE id = 1`;
   *   await tx.sql`UPDATE account SET amount = amount + 5 WHERE id = 2`;
   * });
   */
  transaction<T>(run: (tx: Transaction) => Promise<T> | T): Promise<T>;

  /**
   * Runs a script as it was written for psql, a dump for example: COPY with the data below it, and commands. Of
   * these `\echo` gives a notice, `\q` ends the script, those that connect or that set how psql prints are ignored,
   * each with a notice, and others reject with code `0A000`. What stands between commands and COPY data happens
   * together or not at all; what was done before a statement that fails stays.
   *
   * With the option `dialect` the script is one of SQLite's or MySQL's.
   *
   * @example
   * const { ignored } = await db.execScript(await (await fetch('/chinook.sql')).text());
   */
  execScript(text: string, options?: ScriptOptions): Promise<ScriptResult>;

  /**
   * Imports CSV into a table: all of it, or nothing.
   *
   * The table's name is folded to lower case as in SQL unless it is in double quotes.
   *
   * @example
   * await db.copyFrom('weather', file, { header: true, onProgress: ({ rows }) => console.log(rows) });
   */
  copyFrom(table: string, source: CopySource, options?: CopyOptions): Promise<CopyResult>;

  /**
   * Loads columns into a table: all rows, or none, with every constraint checked. The quickest way in; rows in the
   * order of the primary key are quicker than others.
   *
   * The table's name is folded to lower case as in SQL unless it is in double quotes. Column names are taken as they
   * are.
   *
   * @example
   * await db.bulkLoad('weather', { day: ['2013-01-01', '2013-01-02'], temp: new Float64Array([3.9, 4.1]) });
   */
  bulkLoad(table: string, source: BulkSource, options?: BulkLoadOptions): Promise<BulkLoadResult>;

  /**
   * The whole database as it is now, as one stream for `VarveDB.import` or `varve import-store`; statements go on
   * meanwhile. It is not encrypted, also where the database is. As long as the database is unchanged, and no merge of
   * its runs in the background is due, it gives the same bytes again, and so does a database that is made of it.
   *
   * @example
   * await db.export().pipeTo(await fileHandle.createWritable());
   */
  export(options?: ExportOptions): ReadableStream<Uint8Array<ArrayBuffer>>;

  /**
   * The database as a script of SQL that loads here and into PostgreSQL: what `varve dump` writes. Rows come as they
   * are stored.
   *
   * @example
   * const text = await (await db.dumpSql()).text();
   */
  dumpSql(options?: DumpOptions): Promise<Blob>;

  /** The whole of `export` as a file, for the option `loadDataDir`; `auto`, the default, is `gzip`. */
  dumpDataDir(compression?: 'none' | 'gzip' | 'auto'): Promise<File>;

  /**
   * Reads everything that is stored and compares it with what is known of it; statements go on meanwhile.
   *
   * @example
   * const { problems } = await db.check();
   */
  check(): Promise<CheckReport>;

  /**
   * Does now what is done in the background anyway, between statements: writing rows out, merging runs, jobs and
   * policies that are due. For a moment that the application knows to be a good one, such as before the page is hidden.
   *
   * @example
   * const { isIdle } = await db.maintenance({ budgetMs: 200 });
   */
  maintenance(options?: MaintenanceOptions): Promise<MaintenanceResult>;

  /**
   * What the database counts: commits, bytes written, time by phase, hits of its caches.
   *
   * @example
   * const { statistics, caches } = await db.stats();
   * console.log(statistics['execute_us'], caches.page.hits);
   */
  stats(): Promise<Stats>;

  /**
   * Puts another passphrase or key in the place of the one that opens an encrypted database; no data is written
   * anew. Who has an old copy of the stored data still opens that with the old one.
   *
   * @example
   * await db.changeEncryptionKey({ passphrase: 'a better one' });
   */
  changeEncryptionKey(encryption: Encryption): Promise<void>;

  /** Ends what runs, closes the store and ends the worker. */
  close(): Promise<void>;
}
