import { translateScript } from './dialect/translate.js';
import { EngineStore } from './engine-store.js';
import { type ErrorFields, VarveError } from './errors.js';
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
    const { message, position, detail, hint, where, table, column, constraint, dataType } = error;
    const { statementIndex } = error;
    const rest = { message, position, detail, hint, where, table, column, constraint, dataType };
    return { ...rest, statementIndex, code: clientCode(error.code, message, request) };
  }
  return { code: 'XX000', message: error instanceof Error ? error.message : String(error) };
}

/**
 * What keeps a store from being opened, in words. A statement can meet the same codes for reasons of its
 * own: 55006 is the store's where the message says so.
 */
function clientCode(code: string, message: string, request: RequestName): string {
  const opens = request === 'open' || request === 'repair';
  const isWhole = opens || request === 'destroy';
  if (code === '55006' && (isWhole || message.startsWith('store_locked'))) return 'store_locked';
  if (code === '58P01') return 'evicted';
  if (code === '0A000' && opens) return 'format_too_new';
  if (code === 'XX001' && opens) return 'corrupt';
  return code;
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
