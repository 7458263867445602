import type { StoreKey } from './encryption.js';
import type { ErrorFields } from './errors.js';
import type {
  BulkLoadResult,
  CheckReport,
  DialectName,
  Durability,
  MaintenanceResult,
  RepairReport,
  StorageSpace,
} from './interface.js';
import type { LoadColumn } from './load/load-columns.js';
import type { StepTaken } from './start-marks.js';
import type { Param } from './values/params.js';

/** Where the worker gets the engine from; nothing means the file beside it. */
export type WasmSource =
  | { readonly url: string }
  | { readonly module: WebAssembly.Module }
  | { readonly bytes: ArrayBuffer; readonly url: string };

/** Where the worker gets the parts of the engine from. */
export interface EngineSource {
  readonly first: WasmSource | undefined;
  readonly rest: WasmSource | undefined;
  readonly zstd: WasmSource | undefined;
}

/** What is opened. */
export interface OpenArgs {
  /** The name of the store; nothing means that the data stays in memory. */
  readonly name: string | undefined;
  readonly engine: EngineSource;
  readonly memoryLimit: number | undefined;
  readonly durability: Durability;
  /** Whether a store that is not there is an error. */
  readonly mustExist: boolean;
  /** What opens an encrypted store. */
  readonly key: StoreKey | undefined;
  /** A Web Lock that the worker holds for as long as it lives, where there are Web Locks. */
  readonly aliveLock: string;
}

/** A statement of a translated script, or what is told of one, with its line in the source. */
export interface ScriptLine {
  readonly line: number;
  readonly text: string;
}

/** A script of another database as SQL of ours. */
export interface Translation {
  readonly statements: readonly ScriptLine[];
  /** What could not be translated. */
  readonly faults: readonly ScriptLine[];
  /** What is kept in another form. */
  readonly remarks: readonly ScriptLine[];
  /** What changes nothing here. */
  readonly passedOver: readonly ScriptLine[];
}

/** Every request of the client to its worker, with what it takes and gives. */
export interface Requests {
  open: {
    args: OpenArgs;
    result: { holdsAliveLock: boolean; isNew: boolean; steps: readonly StepTaken[] };
  };
  query: { args: { sql: string; params: Param[] }; result: Uint8Array<ArrayBuffer> };
  exec: { args: { sql: string }; result: Uint8Array<ArrayBuffer> };
  translate: {
    args: { text: string; dialect: DialectName; wasm: WasmSource | undefined };
    result: Translation;
  };
  executeBatch: { args: { statements: readonly string[] }; result: { affectedRows: number } };
  copyBegin: { args: { sql: string }; result: { copy: number } };
  copyWrite: { args: { copy: number; bytes: Uint8Array }; result: { rows: number } };
  copyFinish: { args: { copy: number }; result: { rows: number } };
  /** Undoes the import; nothing happens when it has ended. */
  copyAbort: { args: { copy: number }; result: undefined };
  loadBegin: {
    args: { table: string; columns: readonly string[]; autoId: boolean };
    result: { load: number };
  };
  loadWrite: {
    args: { load: number; columns: readonly LoadColumn[] };
    result: { rows: number };
  };
  loadFinish: { args: { load: number }; result: BulkLoadResult };
  /** Undoes the load; nothing happens when it has ended. */
  loadAbort: { args: { load: number }; result: undefined };
  exportBegin: {
    args: { since: Uint8Array | undefined };
    result: { export: number; contents: Uint8Array<ArrayBuffer> };
  };
  /** The next bytes; nothing after the last ones. */
  exportRead: { args: { export: number }; result: Uint8Array<ArrayBuffer> | undefined };
  /** Gives up the export; nothing happens when it has ended. */
  exportEnd: { args: { export: number }; result: undefined };
  importBegin: { args: OpenArgs; result: undefined };
  importWrite: { args: { bytes: Uint8Array }; result: undefined };
  /** Opens the store that was imported. */
  importFinish: { args: Record<never, never>; result: Requests['open']['result'] };
  /** Undoes what is not complete; nothing happens when the import has ended. */
  importAbort: { args: Record<never, never>; result: undefined };
  dump: { args: { schema: boolean; data: boolean; inserts: boolean }; result: Blob };
  /** Ends the transaction without its changes; nothing happens when there is none. */
  rollback: { args: Record<never, never>; result: undefined };
  /** Stops the request of this id, which then rejects by itself; nothing happens when it has ended. */
  cancel: { args: { request: number }; result: undefined };
  close: { args: Record<never, never>; result: undefined };
  check: { args: Record<never, never>; result: CheckReport };
  maintenance: { args: { budgetMs: number }; result: MaintenanceResult };
  repair: {
    args: { name: string; engine: EngineSource; key: StoreKey | undefined };
    result: RepairReport;
  };
  changeKey: { args: { key: StoreKey }; result: undefined };
  /** Loads both parts of the engine, and opens nothing. */
  preload: { args: { engine: EngineSource }; result: undefined };
  destroy: { args: { name: string; engine: EngineSource }; result: undefined };
}

export type RequestName = keyof Requests;
export type Args<K extends RequestName> = Requests[K]['args'];
export type Result<K extends RequestName> = Requests[K]['result'];

/** What the client posts. */
export type RequestMessage = {
  [K in RequestName]: { readonly id: number; readonly name: K; readonly args: Args<K> };
}[RequestName];

/**
 * What the worker posts: that its script runs, that the storage has become full or not full, the answer to one
 * request, or that it cannot answer any more.
 */
export type ResponseMessage =
  | { readonly kind: 'started' }
  | { readonly kind: 'space'; readonly isFull: boolean; readonly space: StorageSpace }
  | { readonly kind: 'result'; readonly id: number; readonly result: Result<RequestName> }
  | { readonly kind: 'error'; readonly id: number; readonly error: ErrorFields }
  | { readonly kind: 'fatal'; readonly error: ErrorFields };
