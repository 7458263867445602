import type { StoreKey } from '../encryption.js';
import { VarveError } from '../errors.js';
import type { Args, EngineSource, OpenArgs, Result } from '../protocol.js';
import { canLoadInCall, fetchSecondPart } from '../second-part.js';
import type { Param } from '../values/params.js';
import { Engine, type EngineLoad, type EngineSession } from '../varve.js';
import { Exports } from './exports.js';
import { Lane } from './lane.js';
import { lockStore, storeName } from './lock.js';
import { startEngine, startLocked } from './start-engine.js';
import { StoreImport } from './store-import.js';

/** A session of the engine, with the calls that wait for it. */
class Connection {
  readonly session: EngineSession;
  readonly lane: Lane;

  constructor(engine: Engine) {
    this.session = engine.session();
    this.lane = new Lane(() => this.session.cancel());
  }
}

/** The open store of a worker: the engine, its sessions, and the lock that keeps others out. */
export class EngineStore {
  readonly #engine: Engine;
  readonly #release: () => void;
  readonly #main: Connection;
  /** Imports, each in a session of its own, so that statements are answered meanwhile. */
  readonly #copies = new Map<number, Connection>();
  /** Loads of columns; a call that runs is not interrupted, it takes a moment. */
  readonly #loads = new Map<number, { readonly load: EngineLoad; readonly lane: Lane }>();
  readonly exports: Exports;
  /** Whether there was no store before. */
  readonly isNew: boolean;

  private constructor(engine: Engine, release: () => void) {
    this.#engine = engine;
    this.#release = release;
    this.#main = new Connection(engine);
    this.exports = new Exports(engine);
    this.isNew = engine.isNew();
  }

  static open(args: OpenArgs): Promise<EngineStore> {
    const { name, memoryLimit, durability, mustExist, key } = args;
    // An instance that is lost because it cannot load would take the rows of a store in memory with it. Encryption is
    // in the second part.
    const needsAll = name === undefined || key !== undefined || !canLoadInCall();
    return startLocked(args, needsAll, async (release) => {
      const engine = await Engine.open(placeOf(args), memoryLimit, durability, mustExist, key);
      return new EngineStore(engine, release);
    });
  }

  /** Begins to make a store of exports. */
  static beginImport(args: OpenArgs): Promise<StoreImport<EngineStore>> {
    const { memoryLimit, durability, key } = args;
    // It needs all of it, and must not end in its middle.
    return startLocked(args, true, async (release) => {
      const begun = await Engine.beginImport(placeOf(args), memoryLimit, durability, key);
      return new StoreImport(begun, release, (engine) => new EngineStore(engine, release));
    });
  }

  static async repair(
    name: string,
    source: EngineSource,
    key: StoreKey | undefined,
  ): Promise<Result<'repair'>> {
    const release = await lockStore(name);
    try {
      await startEngine(source);
      // It needs all of it, and must not end in its middle.
      await fetchSecondPart();
      return await Engine.repair(storeName(name), key);
    } finally {
      release();
    }
  }

  check(): Promise<Result<'check'>> {
    return this.#engine.check();
  }

  async maintenance(budgetMs: number): Promise<Result<'maintenance'>> {
    return { isIdle: await this.#engine.maintenance(budgetMs) };
  }

  changeKey(key: StoreKey): Promise<void> {
    return this.#engine.changeKey(key);
  }

  static async destroy(name: string, source: EngineSource): Promise<void> {
    const release = await lockStore(name);
    try {
      await startEngine(source);
      await Engine.destroy(storeName(name));
    } finally {
      release();
    }
  }

  query(id: number, sql: string, params: Param[]): Promise<Result<'query'>> {
    const { lane, session } = this.#main;
    return lane.run(id, () => session.query(sql, params));
  }

  exec(id: number, sql: string): Promise<Result<'exec'>> {
    const { lane, session } = this.#main;
    return lane.run(id, () => session.exec(sql));
  }

  executeBatch(id: number, statements: readonly string[]): Promise<Result<'executeBatch'>> {
    const { lane, session } = this.#main;
    return lane.run(id, async () => ({
      affectedRows: await session.executeBatch([...statements]),
    }));
  }

  /** Begins in the main lane, so that the import comes after the statements that were given before it. */
  copyBegin(id: number, sql: string): Promise<Result<'copyBegin'>> {
    return this.#main.lane.run(id, async () => {
      const connection = new Connection(this.#engine);
      try {
        await connection.session.copyBegin(sql);
      } catch (error) {
        connection.session.free();
        throw error;
      }
      this.#copies.set(id, connection);
      return { copy: id };
    });
  }

  copyWrite(id: number, copy: number, bytes: Uint8Array): Promise<Result<'copyWrite'>> {
    const { lane, session } = this.#copy(copy);
    return lane.run(id, async () => ({ rows: await session.copyWrite(bytes) }));
  }

  copyFinish(id: number, copy: number): Promise<Result<'copyFinish'>> {
    return this.#endCopy(id, copy, async (session) => ({ rows: await session.copyFinish() }));
  }

  async copyAbort(id: number, copy: number): Promise<void> {
    const connection = this.#copies.get(copy);
    if (connection === undefined) return;
    connection.session.cancel();
    await this.#endCopy(id, copy, (session) => session.copyAbort());
  }

  /** Begins in the main lane, as imports do. */
  loadBegin(
    id: number,
    table: string,
    columns: readonly string[],
    autoId: boolean,
  ): Promise<Result<'loadBegin'>> {
    return this.#main.lane.run(id, async () => {
      const load = await this.#engine.bulkLoad(table, [...columns], autoId);
      this.#loads.set(id, { load, lane: new Lane(() => undefined) });
      return { load: id };
    });
  }

  loadWrite(
    id: number,
    number: number,
    columns: Args<'loadWrite'>['columns'],
  ): Promise<Result<'loadWrite'>> {
    const { load, lane } = this.#load(number);
    return lane.run(id, async () => ({ rows: await load.write([...columns]) }));
  }

  loadFinish(id: number, number: number): Promise<Result<'loadFinish'>> {
    return this.#endLoad(id, number, (load) => load.finish());
  }

  async loadAbort(id: number, number: number): Promise<void> {
    if (this.#loads.has(number)) await this.#endLoad(id, number, (load) => load.abort());
  }

  #load(number: number): { readonly load: EngineLoad; readonly lane: Lane } {
    const found = this.#loads.get(number);
    if (found !== undefined) return found;
    throw new VarveError({ code: '55000', message: 'the load has ended' });
  }

  #endLoad<T>(id: number, number: number, end: (load: EngineLoad) => Promise<T>): Promise<T> {
    const { load, lane } = this.#load(number);
    this.#loads.delete(number);
    return lane.run(id, async () => {
      try {
        return await end(load);
      } finally {
        load.free();
      }
    });
  }

  #copy(copy: number): Connection {
    const connection = this.#copies.get(copy);
    if (connection !== undefined) return connection;
    throw new VarveError({ code: '55000', message: 'the import has ended' });
  }

  #endCopy<T>(id: number, copy: number, end: (session: EngineSession) => Promise<T>): Promise<T> {
    const { lane, session } = this.#copy(copy);
    this.#copies.delete(copy);
    return lane.run(id, async () => {
      try {
        return await end(session);
      } finally {
        session.free();
      }
    });
  }

  /** In a session of its own, so that statements are answered meanwhile. */
  async dump({ schema, data, inserts }: Args<'dump'>): Promise<Result<'dump'>> {
    // It is in the second part.
    await fetchSecondPart();
    const { session } = new Connection(this.#engine);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    try {
      await session.dump(schema, data, inserts, (chunk: Uint8Array<ArrayBuffer>) => {
        chunks.push(chunk);
      });
    } finally {
      session.free();
    }
    return new Blob(chunks, { type: 'application/sql' });
  }

  /** Stops the request of this id, whether it runs or waits. */
  cancel(request: number): void {
    this.#main.lane.cancel(request);
    for (const { lane } of this.#copies.values()) lane.cancel(request);
    for (const { lane } of this.#loads.values()) lane.cancel(request);
  }

  /** Stops everything and gives the store up. */
  async close(): Promise<void> {
    const connections = [this.#main, ...this.#copies.values()];
    await Promise.all(connections.map(({ lane }) => lane.drain()));
    for (const { session } of connections) session.free();
    await Promise.all([...this.#loads.values()].map(({ lane }) => lane.drain()));
    for (const { load } of this.#loads.values()) load.free();
    this.exports.endAll();
    try {
      await this.#engine.close();
    } finally {
      this.#release();
    }
  }
}

/** The name of a store for the engine; none for one in memory. */
function placeOf({ name }: OpenArgs): string | undefined {
  return name === undefined ? undefined : storeName(name);
}
