import { VarveDB } from './index.js';

/** Above the number of every built-in type; values of other types are texts anyway. */
const BUILT_IN_TYPES_MAX = 5000;
/** In which the worker hears that its fetch has failed. */
const FAILURE_MS = 100;
/** Tries of a call whose fetches fail at random. */
const TRIES_MAX = 100;

/** Every value as the text that the engine writes. */
const asText = Object.fromEntries(
  Array.from({ length: BUILT_IN_TYPES_MAX }, (_, type) => [type, (text) => text]),
);
/** The script of the worker, where it is not the package's own: `stubs` or `failing`. */
const script = new URLSearchParams(location.search).get('worker');
let seed = Number(new URLSearchParams(location.search).get('seed') ?? 1);
let name;
let db;

function worker() {
  seed += 1;
  return new Worker(`./${script}-worker.mjs?seed=${seed}`, { type: 'module' });
}

async function open() {
  await db?.close();
  db = await VarveDB.create(`idb://${name}`, script === null ? {} : { worker });
  if (script !== 'failing') return;
  // Statements come so fast that most would be done before the worker knows that its fetch has failed.
  await db.query('SELECT 1');
  await new Promise((resolve) => setTimeout(resolve, FAILURE_MS));
}

/** The answer to a call. What was refused because the second part did not come is asked again, and counted. */
async function insisted(call) {
  for (let refused = 0; ; refused += 1) {
    try {
      return { ...(await call()), refused };
    } catch (error) {
      if (error.code === '58030' && error.failure === 'wasm_load_failed' && refused < TRIES_MAX) {
        continue;
      }
      const { code, failure, message, position, detail } = error;
      const place = position ? ` @${position}` : '';
      const more = detail ? ` (${detail})` : '';
      // The engine ended in the middle of a statement, which could not load the second part.
      const isLost = code === 'worker_died' && failure === 'wasm_load_failed';
      return { error: { state: code, message: `${message}${place}${more}` }, refused, isLost };
    }
  }
}

globalThis.answer = (request) =>
  insisted(async () => {
    if (request.open) name = request.open;
    if (request.open || request.reopen) {
      await open();
      return {};
    }
    const result = await db.query(request.sql, [], { rowMode: 'array', parsers: asText });
    if (result.fields.length === 0) return { changed: result.affectedRows };
    return { types: result.fields.map((field) => field.dataTypeID), rows: result.rows };
  });
globalThis.isReady();
