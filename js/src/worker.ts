import { translateScript } from './dialect/translate.js';
import { EngineStore } from './engine/engine-store.js';
import { type ClientErrorCode, type ErrorFields, type Failure, VarveError } from './errors.js';
import type { RequestMessage, RequestName, ResponseMessage, Result } from './protocol.js';
import { panicMessage } from './varve.js';

/** What this file uses of a worker's global scope: the types of pages and of workers exclude each other. */
interface WorkerScope {
  postMessage(message: ResponseMessage, transfer: Transferable[]): void;
  addEventListener(type: 'message', handler: (event: MessageEvent<RequestMessage>) => void): void;
  addEventListener(type: 'error', handler: (event: ErrorEvent) => void): void;
}

const scope = globalThis as unknown as WorkerScope;

let store: EngineStore | undefined;
let crash: ErrorFields | undefined;

function opened(): EngineStore {
  if (store !== undefined) return store;
  throw new VarveError({ code: 'closed', message: 'no database is open in this worker' });
}

async function answer({ id, name, args }: RequestMessage): Promise<Result<RequestName>> {
  if (crash !== undefined) throw new VarveError({ ...crash, code: 'XX000' });
  switch (name) {
    case 'open':
      store = await EngineStore.open(args);
      return { holdsAliveLock: 'locks' in navigator };
    case 'query':
      return opened().query(id, args.sql, args.params);
    case 'exec':
      return opened().exec(id, args.sql);
    case 'translate':
      return translateScript(args.text, args.dialect, args.wasm);
    case 'executeBatch':
      return opened().executeBatch(id, args.statements);
    case 'copyBegin':
      return opened().copyBegin(id, args.sql);
    case 'copyWrite':
      return opened().copyWrite(id, args.copy, args.bytes);
    case 'copyFinish':
      return opened().copyFinish(id, args.copy);
    case 'copyAbort':
      await opened().copyAbort(id, args.copy);
      return undefined;
    case 'loadBegin':
      return opened().loadBegin(id, args.table, args.columns, args.autoId);
    case 'loadWrite':
      return opened().loadWrite(id, args.load, args.columns);
    case 'loadFinish':
      return opened().loadFinish(id, args.load);
    case 'loadAbort':
      await opened().loadAbort(id, args.load);
      return undefined;
    case 'cancel':
      store?.cancel(args.request);
      return undefined;
    case 'close': {
      const closing = opened();
      store = undefined;
      await closing.close();
      return undefined;
    }
    case 'check':
      return opened().check();
    case 'repair':
      return EngineStore.repair(args.name, args.wasm);
    case 'destroy':
      await EngineStore.destroy(args.name, args.wasm);
      return undefined;
    default:
      return name satisfies never;
  }
}

function isErrorFields(error: unknown): error is ErrorFields {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

/** Any error as plain data. `DOMException` has a code too, a number, and is no error of the engine. */
function plain(error: unknown, request: RequestName): ErrorFields {
  if (isErrorFields(error) && typeof error.code === 'string') {
    const { failure, message, position, detail, hint, where, table, column } = error;
    const { constraint, dataType, statementIndex } = error;
    const rest = { position, detail, hint, where, table, column, constraint, dataType };
    const code = clientCode(failure, request) ?? error.code;
    return { code, failure, message, ...rest, statementIndex };
  }
  return { code: 'XX000', message: error instanceof Error ? error.message : String(error) };
}

/**
 * The word for what keeps a store from being used. A statement can also meet damage, and a part of a store that a
 * later version wrote: the word is for when that keeps the whole store from being opened.
 */
function clientCode(
  failure: Failure | undefined,
  request: RequestName,
): ClientErrorCode | undefined {
  const opens = request === 'open' || request === 'repair';
  switch (failure) {
    case 'locked':
    case 'fenced':
      return 'store_locked';
    case 'evicted':
      return 'evicted';
    case 'format_too_new':
    case 'corrupt':
      return opens ? failure : undefined;
    default:
      return undefined;
  }
}

function panicText(): string | undefined {
  try {
    return panicMessage();
  } catch {
    // The engine was not started yet.
    return undefined;
  }
}

/** The engine trapped: what was under way will never be answered, so the client must hear of it. */
function reportCrash(detail: string): void {
  if (crash !== undefined) return;
  crash = {
    code: 'worker_died',
    message: 'the engine crashed; open the database again',
    detail: panicText() ?? detail,
  };
  scope.postMessage({ kind: 'fatal', error: crash }, []);
}

async function respond(request: RequestMessage): Promise<void> {
  const { id, name } = request;
  try {
    const result = await answer(request);
    const transfer = result instanceof Uint8Array ? [result.buffer] : [];
    scope.postMessage({ kind: 'result', id, result }, transfer);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) reportCrash(error.message);
    else scope.postMessage({ kind: 'error', id, error: plain(error, name) }, []);
  }
}

scope.addEventListener('message', ({ data }) => void respond(data));
// A trap while the engine polls its own futures reaches no promise, only this handler.
scope.addEventListener('error', (event) => reportCrash(event.message));
scope.postMessage({ kind: 'started' }, []);
