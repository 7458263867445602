import { VarveError } from '../errors.js';
import type { DialectName } from '../interface.js';
import { DIALECTS, loadWasm } from '../load-wasm.js';
import type { Translation, WasmSource } from '../protocol.js';
import init, { translate } from '../varve_dialect.js';

let starting: Promise<unknown> | undefined;

/** Translates a script of another database. What reads it is fetched when it is called first. */
export async function translateScript(
  text: string,
  dialect: DialectName,
  source: WasmSource | undefined,
): Promise<Translation> {
  starting ??= start(source);
  try {
    await starting;
  } catch (error) {
    // The next call may name another place.
    starting = undefined;
    throw error;
  }
  try {
    return JSON.parse(translate(text, dialect)) as Translation;
  } catch (cause) {
    // A trap of this module is none of the engine's, which goes on.
    const detail = cause instanceof Error ? cause.message : String(cause);
    const message = 'the script could not be translated';
    throw new VarveError({ code: 'XX000', message, detail }, { cause });
  }
}

async function start(source: WasmSource | undefined): Promise<void> {
  const module = await loadWasm(source, DIALECTS);
  await init({ module_or_path: module });
}
