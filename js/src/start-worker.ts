import { checked, type Kind, reading } from './check.js';
import { type ErrorFields, VarveError } from './errors.js';
import type { EngineOptions } from './interface.js';
import { directiveOf, PolicyWatch } from './policy.js';
import type { EngineSource, WasmSource } from './protocol.js';
import { scriptFault } from './script-fault.js';
import { REST_FILE, ZSTD_FILE } from './wasm-files.js';

const aWorker: Kind<Worker> = {
  takes: 'a Worker',
  is: (value): value is Worker =>
    ['postMessage', 'addEventListener', 'terminate'].every(
      (name) => typeof (value as Record<string, unknown>)[name] === 'function',
    ),
};

const HINT = 'If a bundler moved worker.js, start it by the option `worker`.';

/** A worker whose script may not run yet, and perhaps never will. */
export interface StartedWorker {
  readonly worker: Worker;
  /** Why its script did not run. */
  explain(): Promise<ErrorFields>;
  /** Its script does not answer. */
  silence(seconds: number): ErrorFields;
  /** It runs: there will be nothing to explain. */
  hasStarted(): void;
}

/** Starts the worker of a database. */
export function startWorker(factory: EngineOptions['worker']): StartedWorker {
  if (factory === undefined && typeof Worker === 'undefined') {
    throw new VarveError({
      code: 'unsupported_environment',
      message: 'VarveDB runs in browsers: there are no web workers here',
      hint: 'On a server, import it but create databases only in the browser. In a shared worker, give the option `worker`.',
    });
  }
  const start = factory ?? ownWorker;
  const policy = new PolicyWatch();
  try {
    const worker = checked('worker()', start(), aWorker);
    return {
      worker,
      explain: () => explained(start, policy),
      silence: (seconds) => ({
        code: 'worker_died',
        message: `the worker's script ${addressOf(start) ?? ''} has not answered within ${seconds} seconds`,
        hint: HINT,
      }),
      hasStarted: () => policy.end(),
    };
  } catch (error) {
    policy.end();
    throw notStarted(error);
  }
}

/** Written out in one piece, because bundlers look for exactly this expression. */
function ownWorker(): Worker {
  return new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'varvedb' });
}

function notStarted(cause: unknown): unknown {
  if (!(cause instanceof DOMException)) return cause;
  const fields = {
    code: 'unsupported_environment',
    message: cause.message,
    hint: `Serve it from the page's own origin. ${HINT}`,
  };
  return new VarveError(fields, { cause });
}

async function explained(start: () => Worker, policy: PolicyWatch): Promise<ErrorFields> {
  const address = addressOf(start);
  const violation = await policy.violation();
  policy.end();
  if (violation !== undefined) {
    return {
      code: 'worker_died',
      message: `the Content-Security-Policy of this page forbids ${address ?? violation.blockedURI} as a worker: "${directiveOf(violation)}"`,
      hint: `Allow it in the directive ${violation.effectiveDirective}, such as by "worker-src 'self'".`,
    };
  }
  const fault = address === undefined ? undefined : await scriptFault(address);
  const message = fault ?? `the worker's script ${address ?? ''} could not be run`;
  return { code: 'worker_died', message, hint: HINT };
}

/** The address that a worker is started from: what the function gives to a constructor that starts nothing. */
function addressOf(start: () => Worker): string | undefined {
  const { Worker: real } = globalThis;
  let address: string | undefined;
  try {
    globalThis.Worker = class {
      constructor(url: string | URL) {
        address = new URL(url, globalThis.location?.href).href;
        // Nothing is to be started.
        throw new Error();
      }
    } as unknown as typeof Worker;
    start();
  } catch {
    // It was to end like this.
  } finally {
    globalThis.Worker = real;
  }
  return address;
}

/** Where the options say that the engine is. */
export async function engineSource(options: EngineOptions): Promise<EngineSource> {
  const first = await wasmSource(options.wasm, 'wasm');
  const rest = (await wasmSource(options.restWasm, 'restWasm')) ?? besideFirst(first, REST_FILE);
  const zstd = (await wasmSource(options.zstdWasm, 'zstdWasm')) ?? besideFirst(first, ZSTD_FILE);
  return { first, rest, zstd };
}

const FIRST_AT_END = /\/varve_bg\.wasm(?=$|[?#])/;

/** Who serves the first part from another place, under its own name, serves the others there too. */
function besideFirst(first: WasmSource | undefined, file: string): WasmSource | undefined {
  if (first === undefined || !('url' in first) || !FIRST_AT_END.test(first.url)) return undefined;
  return { url: first.url.replace(FIRST_AT_END, `/${file}`) };
}

/** What an option that says where a module is means, in a form that can be posted. */
export async function wasmSource(
  wasm: EngineOptions['wasm'],
  option: string,
): Promise<WasmSource | undefined> {
  if (wasm === undefined) return undefined;
  if (wasm instanceof WebAssembly.Module) return { module: wasm };
  if (wasm instanceof Response) return responseSource(wasm, option);
  // The worker has another base than the page.
  const base = globalThis.location?.href;
  return reading(option, wasm, 'an address', () => ({ url: new URL(wasm, base).href }));
}

async function responseSource(response: Response, option: string): Promise<WasmSource> {
  const { url, ok, status } = response;
  if (ok) return { bytes: await response.arrayBuffer(), url };
  const message = `the module of the option \`${option}\` could not be fetched: ${url || 'the response'} answered ${status}`;
  throw new VarveError({ code: 'wasm_load_failed', message });
}
