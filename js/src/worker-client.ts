import { canceled } from './canceled.js';
import { type ErrorFields, VarveError } from './errors.js';
import type { StorageSpace } from './interface.js';
import type { Args, RequestMessage, RequestName, ResponseMessage, Result } from './protocol.js';
import { mark } from './start-marks.js';
import type { StartedWorker } from './start-worker.js';

/** A script that has said nothing for so long is another one, or hangs. */
const START_S = 60;

/** What comes before the first call. */
const OPENING: ReadonlySet<RequestName> = new Set([
  'open',
  'importBegin',
  'importWrite',
  'importFinish',
]);

interface Pending {
  readonly name: RequestName;
  readonly query: RequestOptions['query'];
  resolve(result: Result<RequestName>): void;
  reject(error: VarveError): void;
}

/** How a request is made. */
export interface RequestOptions {
  /** The SQL text that errors shall carry, or several of which they name one. */
  readonly query?: string | readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What of the arguments is given away instead of copied. */
  readonly transfer?: Transferable[] | undefined;
}

/** Hears whenever the storage has become full or not full. */
export type OnSpace = (isFull: boolean, space: StorageSpace) => void;

/** The page's end of a worker. Every request is answered, at the latest when the worker ends. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #hasEnded = false;
  #hasAnswered = false;
  /** Why no request is taken any more. */
  #refusal: ErrorFields | undefined;
  readonly #watch = new AbortController();

  readonly #start: StartedWorker;
  /** Until the worker's script has said that it runs. */
  #silence: ReturnType<typeof setTimeout> | undefined;

  readonly #onSpace: OnSpace | undefined;

  constructor(start: StartedWorker, onSpace?: OnSpace) {
    this.#start = start;
    this.#onSpace = onSpace;
    const { worker } = start;
    this.#worker = worker;
    worker.addEventListener('message', (event: MessageEvent<ResponseMessage>) =>
      this.#receive(event.data),
    );
    worker.addEventListener('error', (event) => void this.#fail(event));
    this.#silence = setTimeout(() => this.end(start.silence(START_S)), START_S * 1000);
    worker.addEventListener('messageerror', () => this.end(died('an answer could not be read')));
  }

  /** Whether nothing will be answered any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  request<K extends RequestName>(
    name: K,
    args: Args<K>,
    { query, signal, transfer }: RequestOptions = {},
  ): Promise<Result<K>> {
    if (signal?.aborted) return Promise.reject(canceled(signal.reason));
    if (this.#refusal !== undefined) return Promise.reject(failure(this.#refusal, query));
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<Result<K>>((resolve, reject) => {
      const take = resolve as (result: Result<RequestName>) => void;
      this.#pending.set(id, { name, query, resolve: take, reject });
    });
    try {
      this.#worker.postMessage({ id, name, args } as RequestMessage, transfer ?? []);
    } catch (error) {
      this.#pending.delete(id);
      return Promise.reject(error);
    }
    if (signal === undefined) return answer;
    const cancel = () => void this.request('cancel', { request: id }).catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    return answer.finally(() => signal.removeEventListener('abort', cancel));
  }

  /**
   * Notices when the worker is gone: it holds this lock for as long as it lives, and a worker that is
   * terminated sends no event.
   */
  watch(aliveLock: string): void {
    const { signal } = this.#watch;
    navigator.locks
      .request(aliveLock, { signal }, () => this.end(died('it was terminated')))
      .catch(() => undefined);
  }

  /** Ends the worker in order. What waits for it rejects with `closed` at once. */
  async close(): Promise<void> {
    if (this.#refusal !== undefined) return;
    const closed = { code: 'closed', message: 'the database is closed' };
    this.#rejectAll(closed);
    const answer = this.request('close', {});
    this.#refusal = closed;
    try {
      await answer;
    } catch (error) {
      // A worker that has not opened anything, or is gone meanwhile, has nothing to close.
      if (!this.#hasEnded && (error as VarveError).code !== 'closed') throw error;
    } finally {
      this.end(closed);
    }
  }

  /** Ends the worker, and every request that waits for it, with this error; only the first call counts. */
  end(error: ErrorFields): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#refusal ??= error;
    this.#watch.abort();
    this.#hasStarted();
    this.#worker.terminate();
    this.#rejectAll(error);
  }

  #hasStarted(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#start.hasStarted();
  }

  /** An error that the worker itself did not report: its script could not be loaded, or threw. */
  async #fail({ message, filename, lineno }: ErrorEvent): Promise<void> {
    if (message) this.end(died(`${message} (${filename}:${lineno})`));
    else if (this.#silence === undefined) this.end(died('its script failed'));
    else this.end(await this.#start.explain());
  }

  #rejectAll(error: ErrorFields): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { query, reject } of pending) reject(failure(error, query));
  }

  #receive(message: ResponseMessage): void {
    this.#hasStarted();
    if (message.kind === 'started') return;
    if (message.kind === 'space') {
      this.#onSpace?.(message.isFull, message.space);
      return;
    }
    if (message.kind === 'fatal') {
      this.end(message.error);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    this.#pending.delete(message.id);
    if (!OPENING.has(pending.name) && !this.#hasAnswered) {
      this.#hasAnswered = true;
      mark('answered');
    }
    if (message.kind === 'result') pending.resolve(message.result);
    else pending.reject(failure(message.error, pending.query));
  }
}

/** The error of a request, with the text that it is about. */
function failure(error: ErrorFields, query: RequestOptions['query']): VarveError {
  const text = typeof query === 'object' ? query[error.statementIndex ?? -1] : query;
  return new VarveError(error, { query: text });
}

function died(detail: string): ErrorFields {
  return { code: 'worker_died', message: 'the worker of the database has ended', detail };
}
