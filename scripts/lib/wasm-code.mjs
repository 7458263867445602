// Functions of a wasm module: their names, types and bodies, and the module with some of them emptied,
// or with other names.

const SECTION_CUSTOM = 0;
const SECTION_IMPORT = 2;
const SECTION_FUNCTION = 3;
const SECTION_CODE = 10;
const NAMES_OF_FUNCTIONS = 1;
const IMPORT_FUNCTION = 0;
const IMPORT_TABLE = 1;
const IMPORT_MEMORY = 2;
const IMPORT_GLOBAL = 3;
/** No locals, `unreachable`, `end`. */
const EMPTY_BODY = Uint8Array.of(0, 0, 0x0b);

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error('the module ends in the middle of a number');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text() {
    return Buffer.from(this.take(this.number())).toString();
  }

  get done() {
    return this.at >= this.bytes.length;
  }
}

function encodeNumber(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

function sections(wasm) {
  const reader = new Reader(wasm);
  reader.take(8);
  const found = [];
  while (!reader.done) {
    const id = reader.take(1)[0];
    found.push({ id, content: reader.take(reader.number()) });
  }
  return found;
}

function importedFunctions(content) {
  const reader = new Reader(content);
  let functions = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.text();
    reader.text();
    const kind = reader.take(1)[0];
    if (kind === IMPORT_FUNCTION) {
      functions += 1;
      reader.number();
    } else if (kind === IMPORT_GLOBAL) {
      // The type of its value, and whether it changes.
      reader.take(2);
    } else if (kind === IMPORT_TABLE || kind === IMPORT_MEMORY) {
      if (kind === IMPORT_TABLE) reader.take(1);
      const limits = reader.take(1)[0];
      reader.number();
      if (limits & 1) reader.number();
    } else {
      throw new Error(`the module imports something of the kind ${kind}`);
    }
  }
  return functions;
}

function functionNames(content) {
  const names = new Map();
  const reader = new Reader(content);
  if (reader.text() !== 'name') return names;
  while (!reader.done) {
    const kind = reader.take(1)[0];
    const part = new Reader(reader.take(reader.number()));
    if (kind !== NAMES_OF_FUNCTIONS) continue;
    for (let left = part.number(); left > 0; left -= 1) names.set(part.number(), part.text());
  }
  return names;
}

/** Each function of the module with a body: name, number of its type, and bytes. */
export function functionsOf(wasm) {
  let imported = 0;
  let names = new Map();
  let types = [];
  let bodies = [];
  for (const { id, content } of sections(wasm)) {
    if (id === SECTION_IMPORT) imported = importedFunctions(content);
    if (id === SECTION_FUNCTION) {
      const reader = new Reader(content);
      types = Array.from({ length: reader.number() }, () => reader.number());
    }
    if (id === SECTION_CODE) {
      const reader = new Reader(content);
      bodies = Array.from({ length: reader.number() }, () => reader.take(reader.number()));
    }
    if (id === SECTION_CUSTOM) {
      const found = functionNames(content);
      if (found.size > 0) names = found;
    }
  }
  return bodies.map((body, index) => ({
    name: names.get(imported + index) ?? '',
    type: types[index],
    body,
  }));
}

/** The module without names, and without the bodies of functions for which `emptied` says so. */
export function without(wasm, functions, emptied) {
  const parts = [wasm.subarray(0, 8)];
  for (const { id, content } of sections(wasm)) {
    if (id === SECTION_CUSTOM) continue;
    let kept = [content];
    if (id === SECTION_CODE) {
      const bodies = functions.map((one) => (emptied(one) ? EMPTY_BODY : one.body));
      kept = [encodeNumber(bodies.length), ...bodies.flatMap(sized)];
    }
    parts.push(...section(id, kept));
  }
  return Buffer.concat(parts);
}

/** The module in which the functions with bodies have these names, and nothing else has one. */
export function renamed(wasm, names) {
  const parts = [wasm.subarray(0, 8)];
  let imported = 0;
  for (const { id, content } of sections(wasm)) {
    if (id === SECTION_IMPORT) imported = importedFunctions(content);
    if (id === SECTION_CUSTOM && new Reader(content).text() === 'name') continue;
    parts.push(...section(id, [content]));
  }
  const named = names.flatMap((name, index) => [
    encodeNumber(imported + index),
    ...sized(Buffer.from(name)),
  ]);
  const map = [encodeNumber(names.length), ...named];
  parts.push(
    ...section(SECTION_CUSTOM, [
      ...sized(Buffer.from('name')),
      ...section(NAMES_OF_FUNCTIONS, map),
    ]),
  );
  return Buffer.concat(parts);
}

function sized(bytes) {
  return [encodeNumber(bytes.length), bytes];
}

/** A section, or a part of one: its number, its length, what is in it. */
function section(id, content) {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return [Uint8Array.of(id), encodeNumber(length), ...content];
}
