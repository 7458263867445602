import { VarveError } from './errors.js';
import type { VarveDBOptions } from './interface.js';
import type { WasmSource } from './protocol.js';

/** Starts the worker of a database. */
export function startWorker(factory: VarveDBOptions['worker']): Worker {
  if (factory !== undefined) return factory();
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
  return { url: new URL(wasm, globalThis.location?.href).href };
}
