import { VarveDB } from './index.js';

/** Above the number of every built-in type; values of other types are texts anyway. */
const BUILT_IN_TYPES_MAX = 5000;

/** Every value as the text that the engine writes. */
const asText = Object.fromEntries(
  Array.from({ length: BUILT_IN_TYPES_MAX }, (_, type) => [type, (text) => text]),
);
let name;
let db;

async function open() {
  await db?.close();
  db = await VarveDB.create(`idb://${name}`);
}

globalThis.answer = async (request) => {
  try {
    if (request.open) {
      name = request.open;
      await open();
      return {};
    }
    if (request.reopen) {
      await open();
      return {};
    }
    const result = await db.query(request.sql, [], { rowMode: 'array', parsers: asText });
    if (result.fields.length === 0) return { changed: result.affectedRows };
    return { types: result.fields.map((field) => field.dataTypeID), rows: result.rows };
  } catch (error) {
    const { code, message, position, detail } = error;
    const place = position ? ` @${position}` : '';
    const more = detail ? ` (${detail})` : '';
    return { error: { state: code, message: `${message}${place}${more}` } };
  }
};
globalThis.isReady();
