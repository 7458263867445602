import { translateScript } from './dialect/translate.js';
import { EngineStore } from './engine/engine-store.js';
import { startEngine } from './engine/start-engine.js';
import type { StoreImport } from './engine/store-import.js';
import { type ClientErrorCode, type ErrorFields, type Failure, VarveError } from './errors.js';
import type { RequestMessage, RequestName, ResponseMessage, Result } from './protocol.js';
import { fetchSecondPart, secondPartFault, secondPartForCall } from './second-part.js';
import { spaceNow, tellOfSpace } from './space.js';
import { stepsTaken, take } from './start-marks.js';
import { panicMessage } from './varve.js';

/** What this file uses of a worker's global scope: the types of pages and of workers exclude each other. */
interface WorkerScope {
  postMessage(message: ResponseMessage, transfer: Transferable[]): void;
  addEventListener(type: 'message', handler: (event: MessageEvent<RequestMessage>) => void): void;
  addEventListener(type: 'error', handler: (event: ErrorEvent) => void): void;
}

const scope = globalThis as unknown as WorkerScope;

let store: EngineStore | undefined;
/** A store that is being made of exports. */
let importing: StoreImport<EngineStore> | undefined;
let crash: ErrorFields | undefined;

function opened(): EngineStore {
  if (store !== undefined) return store;
  throw new VarveError({ code: 'closed', message: 'no database is open in this worker' });
}

function imported(): StoreImport<EngineStore> {
  if (importing !== undefined) return importing;
  throw new VarveError({ code: '55000', message: 'the import has ended' });
}

function openAnswer(): Result<'open'> {
  take('open');
  const { isNew } = opened();
  return { holdsAliveLock: 'locks' in navigator, isNew, steps: stepsTaken() };
}

async function answer({ id, name, args }: RequestMessage): Promise<Result<RequestName>> {
  if (crash !== undefined) throw new VarveError({ ...crash, code: 'XX000' });
  switch (name) {
    case 'open':
      store = await EngineStore.open(args);
      return openAnswer();
    case 'importBegin':
      importing = await EngineStore.beginImport(args);
      return undefined;
    case 'importWrite':
      await imported().write(args.bytes);
      return undefined;
    case 'importFinish':
      store = await imported().finish();
      importing = undefined;
      return openAnswer();
    case 'importAbort':
      await importing?.abort();
      importing = undefined;
      return undefined;
    case 'exportBegin':
      return opened().exports.begin(id, args.since);
    case 'exportRead':
      return opened().exports.read(args.export);
    case 'exportEnd':
      store?.exports.end(args.export);
      return undefined;
    case 'dump':
      return opened().dump(args);
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
    case 'rollback':
      await opened().query(id, 'ROLLBACK', []);
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
    case 'maintenance':
      return opened().maintenance(args.budgetMs);
    case 'repair':
      return EngineStore.repair(args.name, args.engine, args.key);
    case 'changeKey':
      await opened().changeKey(args.key);
      return undefined;
    case 'preload':
      await startEngine(args.engine);
      await fetchSecondPart();
      return undefined;
    case 'destroy':
      await EngineStore.destroy(args.name, args.engine);
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
  const opens = request === 'open' || request === 'repair' || request === 'importBegin';
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

/** What ended the engine: a trap, or a statement that needed the second part when it could not be loaded. */
function crashed(detail: string): ErrorFields {
  const fault = secondPartFault();
  if (fault === undefined) {
    const message = 'the engine crashed; open the database again';
    return { code: 'worker_died', message, detail: panicText() ?? detail };
  }
  const { message, detail: cause, hint } = fault;
  const fields = { code: 'worker_died', failure: 'wasm_load_failed', detail: cause, hint } as const;
  return {
    ...fields,
    message: `${message}, in the middle of a statement; open the database again`,
  };
}

/** The engine trapped: what was under way will never be answered, so the client must hear of it. */
function reportCrash(detail: string): void {
  if (crash !== undefined) return;
  crash = crashed(detail);
  scope.postMessage({ kind: 'fatal', error: crash }, []);
}

/** A page asks at once for what it shows first, and that comes before what it seldom runs. */
const FIRST_ANSWER_MS_MAX = 1000;

function fetchWhenIdle(answered: RequestName): void {
  // A failure is told to the next call, which tries again.
  const fetch = () => void fetchSecondPart().catch(() => undefined);
  if (answered === 'open') setTimeout(fetch, FIRST_ANSWER_MS_MAX);
  else fetch();
}

/** They stop what runs, and are answered also by a database that can do nothing else. */
const STOPPING: ReadonlySet<RequestName> = new Set(['cancel', 'close']);
const UNDOING: ReadonlySet<RequestName> = new Set([
  'copyAbort',
  'loadAbort',
  'exportEnd',
  'importAbort',
  'rollback',
]);

/** What is to be undone, and came while the engine could not be entered. */
const owed: RequestMessage[] = [];

/**
 * Answers once the engine may be entered. To undo something may need a part of it that cannot be loaded now, and is
 * never refused: it comes before whatever enters the engine next, which is as good to those who asked for it.
 */
async function enter(request: RequestMessage): Promise<Result<RequestName>> {
  if (STOPPING.has(request.name)) return answer(request);
  try {
    const wait = secondPartForCall();
    if (wait !== undefined) await wait;
  } catch (error) {
    if (!UNDOING.has(request.name)) throw error;
    owed.push(request);
    return undefined;
  }
  // Whoever asked for it has been answered, and takes no second answer.
  for (const undo of owed.splice(0)) void respond(undo);
  return answer(request);
}

/** A trap, or a stub that could not load, whose error passed through the frames of the engine. */
function hasEngineEnded(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || secondPartFault() !== undefined;
}

async function respond(request: RequestMessage): Promise<void> {
  const { id, name } = request;
  try {
    const result = await enter(request);
    const transfer = result instanceof Uint8Array ? [result.buffer] : [];
    scope.postMessage({ kind: 'result', id, result }, transfer);
    if (store !== undefined && !UNDOING.has(name)) fetchWhenIdle(name);
  } catch (error) {
    if (hasEngineEnded(error)) reportCrash(String(error));
    else scope.postMessage({ kind: 'error', id, error: await told(error, name) }, []);
  }
}

/** An error as plain data, with the space that there is where that is what it is about. */
async function told(error: unknown, request: RequestName): Promise<ErrorFields> {
  const fields = plain(error, request);
  return fields.failure === 'storage_full' ? { ...fields, ...(await spaceNow()) } : fields;
}

scope.addEventListener('message', ({ data }) => void respond(data));
// A trap while the engine polls its own futures reaches no promise, only this handler.
scope.addEventListener('error', (event) => reportCrash(event.message));
tellOfSpace((isFull, space) => scope.postMessage({ kind: 'space', isFull, space }, []));
take('worker');
scope.postMessage({ kind: 'started' }, []);
