import { VarveError } from './errors.js';

/** What a call rejects with that was stopped on request. */
export function canceled(cause?: unknown): VarveError {
  return new VarveError(
    { code: '57014', failure: 'canceled', message: 'canceling statement due to user request' },
    cause === undefined ? {} : { cause },
  );
}

/** `wait`, or the rejection of {@link canceled} when `signal` is aborted before. */
export function abortable<T>(wait: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return wait;
  return new Promise((resolve, reject) => {
    const abort = () => reject(canceled(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    wait.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
