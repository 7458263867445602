import { VarveError } from './errors.js';
import { directiveOf, PolicyWatch, type Violation } from './policy.js';
import type { WasmSource } from './protocol.js';
import { REST_FILE, ZSTD_FILE } from './wasm-files.js';

/** A module of the package. */
export interface WasmPart {
  /** In words. */
  readonly what: string;
  readonly file: string;
  /** The option that says where it is. */
  readonly option: string;
  readonly besideThisFile: () => string;
}

/** Bundlers look for exactly this expression. */
export const ENGINE: WasmPart = {
  what: 'the engine',
  file: 'varve_bg.wasm',
  option: 'wasm',
  besideThisFile: () => new URL('./varve_bg.wasm', import.meta.url).href,
};

/** What pages seldom run. */
export const REST: WasmPart = {
  what: 'the second part of the engine',
  file: REST_FILE,
  option: 'restWasm',
  besideThisFile: () => new URL('./varve_rest_bg.wasm', import.meta.url).href,
};

/** What reads the dialects of other databases. */
export const DIALECTS: WasmPart = {
  what: 'the reader of dialects',
  file: 'varve_dialect_bg.wasm',
  option: 'dialectWasm',
  besideThisFile: () => new URL('./varve_dialect_bg.wasm', import.meta.url).href,
};

/** What makes frames of zstd. */
export const ZSTD: WasmPart = {
  what: 'the encoder of zstd',
  file: ZSTD_FILE,
  option: 'zstdWasm',
  besideThisFile: () => new URL('./varve_zstd_bg.wasm', import.meta.url).href,
};

/** Fetches and compiles a module. Every failure says which address was at fault and why. */
export async function loadWasm(
  source: WasmSource | undefined,
  part: WasmPart = ENGINE,
): Promise<WebAssembly.Module> {
  const policy = new PolicyWatch();
  try {
    return await load(source, part);
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

async function load(source: WasmSource | undefined, part: WasmPart): Promise<WebAssembly.Module> {
  if (source !== undefined && 'module' in source) return source.module;
  const url = source?.url ?? part.besideThisFile();
  if (source !== undefined && 'bytes' in source) return compile(source.bytes, url, part);
  const response = await fetchWasm(url, part);
  // Only modules that are compiled while they arrive are kept compiled by browsers.
  if (response.headers.get('content-type')?.startsWith('application/wasm')) {
    return compiled(WebAssembly.compileStreaming(response), url, part);
  }
  return compile(await response.arrayBuffer(), url, part);
}

/** The same without waiting, for who cannot wait: in a worker, in the middle of a call. */
export function loadWasmNow(source: WasmSource | undefined, part: WasmPart): WebAssembly.Module {
  if (source !== undefined && 'module' in source) return source.module;
  const url = source?.url ?? part.besideThisFile();
  const bytes = source !== undefined && 'bytes' in source ? source.bytes : fetchNow(url, part);
  const checked = checkedBytes(bytes, url, part);
  try {
    return new WebAssembly.Module(checked);
  } catch (cause) {
    throw notCompiled(url, part, cause);
  }
}

async function fetchWasm(url: string, part: WasmPart): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw notFetched(url, part, cause);
  }
  if (response.ok) return response;
  throw answered(url, part, response.status);
}

function fetchNow(url: string, part: WasmPart): ArrayBuffer {
  const request = new XMLHttpRequest();
  try {
    request.open('GET', url, false);
    request.responseType = 'arraybuffer';
    request.send();
  } catch (cause) {
    throw notFetched(url, part, cause);
  }
  if (request.status === 200) return request.response as ArrayBuffer;
  throw answered(url, part, request.status);
}

function notFetched(url: string, part: WasmPart, cause: unknown): VarveError {
  return loadFailure(`${part.what} could not be fetched from ${url}`, part, cause);
}

function answered(url: string, part: WasmPart, status: number): VarveError {
  return loadFailure(`${part.what} could not be fetched: ${url} answered ${status}`, part);
}

function notCompiled(url: string, part: WasmPart, cause: unknown): VarveError {
  return loadFailure(`${part.what} from ${url} could not be compiled`, part, cause);
}

function compile(bytes: ArrayBuffer, url: string, part: WasmPart): Promise<WebAssembly.Module> {
  return compiled(WebAssembly.compile(checkedBytes(bytes, url, part)), url, part);
}

async function compiled(module: Promise<WebAssembly.Module>, url: string, part: WasmPart) {
  try {
    return await module;
  } catch (cause) {
    throw notCompiled(url, part, cause);
  }
}

/** Bundlers and single-page servers answer unknown addresses with a page, so say that. */
function checkedBytes(bytes: ArrayBuffer, url: string, part: WasmPart): ArrayBuffer {
  const start = new Uint8Array(bytes, 0, Math.min(bytes.byteLength, 64));
  if (start[0] === 0 && start[1] === 0x61 && start[2] === 0x73 && start[3] === 0x6d) return bytes;
  const text = new TextDecoder().decode(start);
  const found = text.trimStart().startsWith('<') ? 'HTML' : 'something else';
  throw loadFailure(`${url} returned ${found}, not the WebAssembly of ${part.what}`, part);
}

/** A module that could not be loaded, with what to do about it. */
export function loadFailure(message: string, part: WasmPart, cause?: unknown): VarveError {
  const fields = {
    code: 'wasm_load_failed',
    message,
    hint: `Serve ${part.file} of the package there, or say where it is with the option \`${part.option}\`.`,
    ...(cause instanceof Error && { detail: cause.message }),
  };
  return new VarveError(fields, cause === undefined ? {} : { cause });
}
