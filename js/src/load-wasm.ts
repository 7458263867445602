import { VarveError } from './errors.js';
import { directiveOf, PolicyWatch, type Violation } from './policy.js';
import type { WasmSource } from './protocol.js';

/** The engine beside this file. Bundlers look for exactly this expression. */
function besideThisFile(): string {
  return new URL('./varve_bg.wasm', import.meta.url).href;
}

/** Fetches and compiles the engine. Every failure says which address was at fault and why. */
export async function loadWasm(source: WasmSource | undefined): Promise<WebAssembly.Module> {
  const policy = new PolicyWatch();
  try {
    return await load(source);
  } catch (error) {
    const violation = await policy.violation();
    throw violation === undefined ? error : forbidden(violation, error);
  } finally {
    policy.end();
  }
}

/** The policy is that of this worker, which may come with another one than the page. */
function forbidden(violation: Violation, cause: unknown): VarveError {
  const isFetch = violation.effectiveDirective === 'connect-src';
  const what = isFetch ? violation.blockedURI : 'WebAssembly';
  const fields = {
    code: 'wasm_load_failed',
    message: `the Content-Security-Policy of ${globalThis.location?.href} forbids ${what}: "${directiveOf(violation)}"`,
    hint: isFetch
      ? 'Allow it in the directive connect-src, such as by "connect-src \'self\'".'
      : "Add 'wasm-unsafe-eval' to the directive script-src.",
  };
  return new VarveError(fields, { cause });
}

async function load(source: WasmSource | undefined): Promise<WebAssembly.Module> {
  if (source !== undefined && 'module' in source) return source.module;
  const url = source?.url ?? besideThisFile();
  if (source !== undefined && 'bytes' in source) return compile(source.bytes, url);
  const response = await fetchWasm(url);
  // Only modules that are compiled while they arrive are kept compiled by browsers.
  if (response.headers.get('content-type')?.startsWith('application/wasm')) {
    return compiled(WebAssembly.compileStreaming(response), url);
  }
  return compile(await response.arrayBuffer(), url);
}

async function fetchWasm(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw failure(`the engine could not be fetched from ${url}`, cause);
  }
  if (response.ok) return response;
  throw failure(`the engine could not be fetched: ${url} answered ${response.status}`);
}

function compile(bytes: ArrayBuffer, url: string): Promise<WebAssembly.Module> {
  return compiled(WebAssembly.compile(checked(bytes, url)), url);
}

async function compiled(module: Promise<WebAssembly.Module>, url: string) {
  try {
    return await module;
  } catch (cause) {
    throw failure(`the engine from ${url} could not be compiled`, cause);
  }
}

/** Bundlers and single-page servers answer unknown addresses with a page, so say that. */
function checked(bytes: ArrayBuffer, url: string): ArrayBuffer {
  const start = new Uint8Array(bytes, 0, Math.min(bytes.byteLength, 64));
  if (start[0] === 0 && start[1] === 0x61 && start[2] === 0x73 && start[3] === 0x6d) return bytes;
  const text = new TextDecoder().decode(start);
  const found = text.trimStart().startsWith('<') ? 'HTML' : 'something else';
  throw failure(`${url} returned ${found}, not the engine's WebAssembly`);
}

function failure(message: string, cause?: unknown): VarveError {
  const fields = {
    code: 'wasm_load_failed',
    message,
    hint: 'Serve varve_bg.wasm of the package there, or say where it is with the option `wasm`.',
    ...(cause instanceof Error && { detail: cause.message }),
  };
  return new VarveError(fields, cause === undefined ? {} : { cause });
}
