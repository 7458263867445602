import { checked, type Kind, reading } from './check.js';
import { VarveError } from './errors.js';
import type { VarveDBOptions } from './interface.js';
import type { WasmSource } from './protocol.js';

const aWorker: Kind<Worker> = {
  takes: 'a Worker',
  is: (value): value is Worker =>
    ['postMessage', 'addEventListener', 'terminate'].every(
      (name) => typeof (value as Record<string, unknown>)[name] === 'function',
    ),
};

/** Starts the worker of a database. */
export function startWorker(factory: VarveDBOptions['worker']): Worker {
  if (factory !== undefined) return checked('worker()', factory(), aWorker);
  if (typeof Worker === 'undefined') {
    throw new VarveError({
      code: 'unsupported_environment',
      message: 'VarveDB runs in browsers: there are no web workers here',
      hint: 'On a server, import it but create databases only in the browser.',
    });
  }
  // Written out in one piece, because bundlers look for exactly this expression.
  return new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'varvedb' });
}

/** What the option `wasm` means, in a form that can be posted. */
export async function wasmSource(wasm: VarveDBOptions['wasm']): Promise<WasmSource | undefined> {
  if (wasm === undefined) return undefined;
  if (wasm instanceof WebAssembly.Module) return { module: wasm };
  if (wasm instanceof Response) return { bytes: await wasm.arrayBuffer(), url: wasm.url };
  // The worker has another base than the page.
  const base = globalThis.location?.href;
  return reading('wasm', wasm, 'an address', () => ({ url: new URL(wasm, base).href }));
}
