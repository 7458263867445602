import { CallScope } from './calls/call-scope.js';
import { Gate } from './calls/gate.js';
import { batchCall, call, Runner } from './calls/runner.js';
import { runScript } from './calls/script.js';
import { templateText } from './calls/sql-tag.js';
import { readStats } from './calls/stats.js';
import { runTransaction } from './calls/transaction.js';
import { aFunction, aString, checked, checkedText, oneOf } from './check.js';
import { storeOf } from './data-dir.js';
import { runDialectScript } from './dialect/script.js';
import { keyOf, storeKey } from './encryption.js';
import { VarveError } from './errors.js';
import { exportStream, fileOf } from './export/export-stream.js';
import { anImportSource, importStore } from './export/import-store.js';
import type {
  BatchOptions,
  BulkLoadOptions,
  BulkLoadResult,
  BulkSource,
  CheckReport,
  CopyOptions,
  CopyResult,
  CopySource,
  Database,
  DatabaseEvents,
  DumpOptions,
  Encryption,
  EngineOptions,
  ExportOptions,
  ImportSource,
  MaintenanceOptions,
  MaintenanceResult,
  Opened,
  QueryOptions,
  RepairOptions,
  RepairReport,
  Results,
  Row,
  ScriptOptions,
  ScriptResult,
  Stats,
  Transaction,
  VarveDBOptions,
} from './interface.js';
import type { LargeObjects } from './large-objects/interface.js';
import { StoredLargeObjects } from './large-objects/large-objects.js';
import { type Run, writeAlone } from './large-objects/write.js';
import { copyCall, copyInto } from './load/copy.js';
import { loadCall, loadInto } from './load/load.js';
import { noteDestroyed, noteOpened } from './marker.js';
import {
  createOptions,
  dumpOptions,
  engineOptions,
  exportOptions,
  maintenanceOptions,
  repairOptions,
  scriptOptions,
} from './options.js';
import type { Args, EngineSource, Result } from './protocol.js';
import { mark, markSteps } from './start-marks.js';
import { engineSource, startWorker } from './start-worker.js';
import { WorkerClient } from './worker-client.js';

/** A day: as good as no bound, and a number that the engine takes. */
const BUDGET_MS_MAX = 86_400_000;

/**
 * A database in a worker of its own.
 *
 * @example
 * const db = await VarveDB.create('idb://app');
 * await db.exec('CREATE TABLE IF NOT EXISTS item (id int PRIMARY KEY, name text)');
 * await db.query('INSERT INTO item VALUES ($1, $2)', [1, 'tea']);
 * const { rows } = await db.query('SELECT name FROM item');
 */
export class VarveDB implements Database {
  readonly waitReady: Promise<void>;
  readonly largeObjects: LargeObjects = new StoredLargeObjects(
    (...given) => this.#pass((runner) => runner.queryPlain(...given), undefined),
    (pages, signal) =>
      this.#pass((runner) => {
        const run: Run = (...given) => runner.queryPlain(...given);
        return writeAlone(runner.client, run, pages, signal);
      }, signal),
  );
  readonly #gate = new Gate();
  /** Where the callback of the transaction under way is. */
  #scope: CallScope | undefined;
  /** What runs statements, or why there is none. */
  #runner: Runner | VarveError | undefined;
  #isOpen = false;
  /** Of the store; nothing for one in memory. */
  #name: string | undefined;
  #opened: Opened | undefined;
  readonly #events = new EventTarget();
  #closing: Promise<void> | undefined;

  /** Starts to open a database; `create` also waits until it is open. */
  constructor(dataDir?: string | VarveDBOptions, options?: VarveDBOptions) {
    this.waitReady = this.#open(dataDir, options).finally(() => this.#gate.open());
    // Whoever makes a call hears of a failure there.
    this.waitReady.catch(() => undefined);
  }

  /**
   * Opens a database: `idb://name` in IndexedDB, or `memory://`, the default, which is gone with its worker.
   *
   * @example
   * const db = await VarveDB.create('idb://app', { memoryLimit: 64 * 1024 * 1024 });
   */
  static async create(
    dataDir?: string | VarveDBOptions,
    options?: VarveDBOptions,
  ): Promise<VarveDB> {
    const db = new VarveDB(dataDir, options);
    await db.waitReady;
    return db;
  }

  /**
   * Makes a new database of an export, and opens it: one of `export` or of `varve export`, and behind it, in the same
   * source, those that go on from it. What goes on from an earlier import may also come into its database. Where the
   * export does not fit what is there it rejects with `55000`, where it is damaged with `XX001`; what was there before
   * is then unchanged.
   *
   * @example
   * const db = await VarveDB.import(file, 'idb://app');
   */
  static async import(
    source: ImportSource,
    dataDir?: string | VarveDBOptions,
    options?: VarveDBOptions,
  ): Promise<VarveDB> {
    const loadDataDir = checked('source', source, anImportSource);
    const { place, options: checkedOptions } = createOptions(dataDir, options);
    return VarveDB.create({ ...checkedOptions, dataDir: place, loadDataDir });
  }

  /**
   * Deletes a store with everything in it, named as for `create` or by its bare name. A missing one is no error; one that is open is `store_locked`.
   *
   * @example
   * await VarveDB.destroy('idb://app');
   */
  static async destroy(dataDir: string, options?: EngineOptions): Promise<void> {
    const name = storeNamed(dataDir);
    const settings = engineOptions(options);
    if (name === undefined) return;
    await requestAlone('destroy', settings, (engine) => ({ name, engine }));
    noteDestroyed(name);
  }

  /**
   * Puts a store right that does not open any more, or that `check` found damaged: damaged records come from
   * their copies, the log ends before its first damaged record, and of damaged pages the other rows are kept. It
   * tells what was lost. A sound store is left as it is; one that is open is `store_locked`.
   *
   * @example
   * const report = await VarveDB.repair('idb://app');
   * for (const { table, rowsLost } of report.tables) console.warn(table, rowsLost);
   */
  static async repair(dataDir: string, options?: RepairOptions): Promise<RepairReport> {
    const name = storeNamed(dataDir);
    const settings = repairOptions(options);
    const key = storeKey(settings.encryption, name);
    if (name === undefined) {
      return { restored: [], firstCommitLost: null, commitsKeptAfter: 0, tables: [] };
    }
    return requestAlone('repair', settings, (engine) => ({ name, engine, key }));
  }

  /**
   * Loads the worker and both parts of the engine, and opens nothing: what the browser's cache, or the service worker
   * of an app that is to work offline, shall have before it is needed.
   *
   * @example
   * await VarveDB.preload();
   */
  static async preload(options?: EngineOptions): Promise<void> {
    await requestAlone('preload', engineOptions(options), (engine) => ({ engine }));
  }

  get ready(): boolean {
    return this.#isOpen && !this.closed;
  }

  get closed(): boolean {
    if (this.#closing !== undefined || this.#runner instanceof VarveError) return true;
    return this.#runner?.client.hasEnded ?? false;
  }

  get opened(): Opened | undefined {
    return this.#opened;
  }

  on<K extends keyof DatabaseEvents>(
    event: K,
    listener: (detail: DatabaseEvents[K]) => void,
  ): () => void {
    const name = checked('event', event, oneOf('storage:full', 'storage:available'));
    checked('listener', listener, aFunction());
    const hear = (told: Event) => listener((told as CustomEvent<DatabaseEvents[K]>).detail);
    this.#events.addEventListener(name, hear);
    return () => this.#events.removeEventListener(name, hear);
  }

  async query<T = Row>(
    sql: string,
    params?: readonly unknown[] | null,
    options?: QueryOptions,
  ): Promise<Results<T>> {
    const made = call(sql, params, options);
    return this.#pass((runner) => runner.query<T>(made), made.options.signal);
  }

  async sql<T = Row>(
    text: TemplateStringsArray,
    ...params: readonly unknown[]
  ): Promise<Results<T>> {
    return this.query<T>(templateText(text), params);
  }

  async exec(sql: string, options?: QueryOptions): Promise<Results[]> {
    const made = call(sql, undefined, options);
    return this.#pass((runner) => runner.exec(made), made.options.signal);
  }

  async executeBatch(statements: readonly string[], options?: BatchOptions): Promise<number> {
    const made = batchCall(statements, options);
    return this.#pass((runner) => runner.executeBatch(made), made.signal);
  }

  async transaction<T>(run: (tx: Transaction) => Promise<T> | T): Promise<T> {
    checked('run', run, aFunction());
    const alone = async () => {
      const scope = new CallScope();
      this.#scope = scope;
      try {
        return await runTransaction(this.#runnerNow(), scope, run);
      } finally {
        this.#scope = undefined;
      }
    };
    return this.#gate.alone(alone, undefined, this.#scope?.suspicion);
  }

  /** Alone, as a transaction is: a script may hold a block open from one of its parts to the next. */
  async execScript(text: string, options?: ScriptOptions): Promise<ScriptResult> {
    const script = checkedText('text', text);
    const settings = scriptOptions(options);
    const { dialect } = settings;
    const run = async () =>
      dialect === undefined
        ? runScript(this.#runnerNow(), script, settings)
        : runDialectScript(this.#runnerNow(), script, dialect, settings);
    return this.#gate.alone(run, settings.signal, this.#scope?.suspicion);
  }

  async copyFrom(table: string, source: CopySource, options?: CopyOptions): Promise<CopyResult> {
    const made = copyCall(table, source, options);
    return this.#pass(({ client }) => copyInto(client, made), made.options.signal);
  }

  async bulkLoad(
    table: string,
    source: BulkSource,
    options?: BulkLoadOptions,
  ): Promise<BulkLoadResult> {
    const made = loadCall(table, source, options);
    return this.#pass(({ client }) => loadInto(client, made), made.options.signal);
  }

  async check(): Promise<CheckReport> {
    return this.#pass(({ client }) => client.request('check', {}), undefined);
  }

  async maintenance(options?: MaintenanceOptions): Promise<MaintenanceResult> {
    const { budgetMs = BUDGET_MS_MAX } = maintenanceOptions(options);
    const budget = { budgetMs: Math.min(budgetMs, BUDGET_MS_MAX) };
    return this.#pass(({ client }) => client.request('maintenance', budget), undefined);
  }

  async stats(): Promise<Stats> {
    return this.#pass((runner) => readStats(runner), undefined);
  }

  export(options?: ExportOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
    const settings = exportOptions(options);
    return exportStream((begin) => this.#pass(({ client }) => begin(client), undefined), settings);
  }

  async dumpSql(options?: DumpOptions): Promise<Blob> {
    const { only, inserts = false } = dumpOptions(options);
    const parts = { schema: only !== 'data', data: only !== 'schema', inserts };
    return this.#pass(({ client }) => client.request('dump', parts), undefined);
  }

  async dumpDataDir(compression: 'none' | 'gzip' | 'auto' = 'auto'): Promise<File> {
    const kind = checked('compression', compression, oneOf('none', 'gzip', 'auto'));
    return fileOf(this.export(), this.#name ?? 'memory', kind === 'auto' ? 'gzip' : kind);
  }

  async changeEncryptionKey(encryption: Encryption): Promise<void> {
    const key = keyOf(encryption, 'encryption');
    return this.#pass(({ client }) => client.request('changeKey', { key }), undefined);
  }

  close(): Promise<void> {
    const client = this.#runner instanceof Runner ? this.#runner.client : undefined;
    this.#closing ??= client?.close() ?? Promise.resolve();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(dataDir: unknown, given: unknown): Promise<void> {
    let client: WorkerClient | undefined;
    try {
      const { place, options } = createOptions(dataDir, given);
      mark('create');
      const name = storeOf(place);
      this.#name = name;
      const key = storeKey(options.encryption, name);
      client = new WorkerClient(startWorker(options.worker), (isFull, detail) => {
        const event = isFull ? 'storage:full' : 'storage:available';
        this.#events.dispatchEvent(new CustomEvent(event, { detail }));
      });
      this.#runner = new Runner(client, options.parsers);
      const aliveLock = `varvedb-worker:${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
      const args = {
        name,
        engine: await engineSource(options),
        memoryLimit: options.memoryLimit,
        durability: options.durability ?? 'relaxed',
        mustExist: options.mustExist ?? false,
        key,
        aliveLock,
      };
      const { loadDataDir } = options;
      const opening =
        loadDataDir === undefined
          ? client.request('open', args)
          : importStore(client, args, loadDataDir);
      const { holdsAliveLock, isNew, steps } = await opening;
      markSteps(steps);
      this.#opened = noteOpened(name, isNew);
      if (holdsAliveLock) client.watch(aliveLock);
      this.#isOpen = true;
    } catch (error) {
      const failure = toVarveError(error);
      this.#runner = failure;
      client?.end(failure);
      throw failure;
    }
  }

  #runnerNow(): Runner {
    if (this.#runner instanceof Runner) return this.#runner;
    throw this.#runner ?? new VarveError({ code: 'closed', message: 'the database is closed' });
  }

  #pass<T>(run: (runner: Runner) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#gate.pass(async () => run(this.#runnerNow()), signal, this.#scope?.suspicion);
  }
}

/** The store of a name as for `create`, or of a bare name; none for one in memory. */
function storeNamed(dataDir: unknown): string | undefined {
  const place = checked('dataDir', dataDir, aString);
  return storeOf(place.includes('://') ? place : `idb://${place}`);
}

/** One request without an open store, in a worker of its own. */
async function requestAlone<K extends 'destroy' | 'repair' | 'preload'>(
  request: K,
  options: EngineOptions,
  args: (engine: EngineSource) => Args<K>,
): Promise<Result<K>> {
  const client = new WorkerClient(startWorker(options.worker));
  try {
    const engine = await engineSource(options);
    return await client.request(request, args(engine));
  } finally {
    client.end({ code: 'closed', message: 'the worker has done its work' });
  }
}

function toVarveError(error: unknown): VarveError {
  if (error instanceof VarveError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new VarveError({ code: 'unsupported_environment', message }, { cause: error });
}
