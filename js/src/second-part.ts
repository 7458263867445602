import { type ErrorFields, VarveError } from './errors.js';
import { loadFailure, loadWasm, loadWasmNow, REST } from './load-wasm.js';
import type { WasmSource } from './protocol.js';

/**
 * The second part of the engine: what pages seldom run. It is fetched beside the first answers. When something in
 * it is called earlier, a stub of the first part calls `loadSecondPart`, in the middle of a statement; when that
 * fails the instance is lost, since the frames of the engine do not unwind. So once a fetch has failed, calls wait for
 * the next try before they enter the engine.
 */

/** The exports of the first part, and where the second one is; nothing until the first one has started. */
let expected:
  | { readonly exports: WebAssembly.Exports; readonly source: WasmSource | undefined }
  | undefined;
let isThere = false;
let hasFailed = false;
let fetching: Promise<void> | undefined;
let fault: ErrorFields | undefined;

/** The first part has started, and this is where the second one is. A whole engine has no gate, and no second part. */
export function expectSecondPart(
  exports: WebAssembly.Exports,
  source: WasmSource | undefined,
): void {
  expected = { exports, source };
  isThere = !('gate' in exports);
}

/** Fetches the second part, unless it is there. A call while it is fetched waits for the same answer. */
export function fetchSecondPart(): Promise<void> {
  if (isThere) return Promise.resolve();
  fetching ??= loadWasm(expected?.source, REST)
    .then(instantiate)
    .then(
      () => {
        hasFailed = false;
      },
      (error) => {
        hasFailed = true;
        throw error;
      },
    )
    .finally(() => {
      fetching = undefined;
    });
  return fetching;
}

/**
 * What a call waits for before it enters the engine: nothing, as a rule. After a fetch has failed it is the next
 * try, and the error of the call if that fails too.
 */
export function secondPartForCall(): Promise<void> | undefined {
  if (isThere || !hasFailed) return undefined;
  return fetchSecondPart().catch((cause) => {
    const { message, detail, hint } = cause as ErrorFields;
    const fields = { code: '58030', failure: 'wasm_load_failed', message, detail, hint } as const;
    throw new VarveError(fields, { cause });
  });
}

/** Whether this thread can load while a statement runs: a service worker cannot. */
export function canLoadInCall(): boolean {
  return typeof XMLHttpRequest !== 'undefined';
}

/** What the stubs of the first part call: loads the second one there and then. */
export function loadSecondPart(): void {
  if (isThere) return;
  try {
    instantiate(loadWasmNow(expected?.source, REST));
  } catch (error) {
    fault = error as ErrorFields;
    throw error;
  }
}

/** Why a statement could not load the second part; the engine cannot be used any more. */
export function secondPartFault(): ErrorFields | undefined {
  return fault;
}

function instantiate(module: WebAssembly.Module): void {
  // A statement may have loaded it meanwhile.
  if (isThere) return;
  try {
    new WebAssembly.Instance(module, { first: { ...expected?.exports } });
  } catch (cause) {
    throw otherBuild(cause);
  }
  // A module that takes nothing of the first part fits every one.
  if (!isGateOpen()) throw otherBuild();
  isThere = true;
}

/** Whether the stubs of the first part go through to the second one. */
function isGateOpen(): boolean {
  const { gate }: WebAssembly.Exports = expected?.exports ?? {};
  return gate instanceof WebAssembly.Global && gate.value === 1;
}

function otherBuild(cause?: unknown): VarveError {
  const { source } = expected ?? {};
  const isModule = source !== undefined && 'module' in source;
  const given = isModule ? `what \`${REST.option}\` gives` : (source?.url ?? REST.besideThisFile());
  return loadFailure(`${given} is not the second part of this build of the engine`, REST, cause);
}
