import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { runLines } from '../lib/run.mjs';
import { functionsOf, renamed } from '../lib/wasm-code.mjs';

/** Letters of a mangled name that tell the crate, and the trait of what was generic. */
const NAME_LETTERS = 14;
const START_BYTES = 64;
const MANGLED = /^_ZN/;
/** Bytes of the pieces of a body by which functions are compared. */
const PIECE_BYTES = 4;
/** So many functions of a type may share a piece, or so many where the type has few: what more of them share tells nothing. */
const SHARING_SHARE_MAX = 0.25;
const SHARING_FEW = 64;
/** What modules may use; with more of them wasm-opt writes what browsers do not read. */
const FEATURES = [
  '--enable-bulk-memory',
  '--enable-nontrapping-float-to-int',
  '--enable-sign-ext',
  '--enable-mutable-globals',
  '--enable-reference-types',
  '--enable-multivalue',
  '--enable-simd',
];

/** The different pieces of a body, each as a number. */
function piecesOf(body) {
  const pieces = new Set();
  for (let at = 0; at + PIECE_BYTES <= body.length; at++) {
    let piece = 0;
    for (let byte = 0; byte < PIECE_BYTES; byte++) piece = piece * 256 + body[at + byte];
    pieces.add(piece);
  }
  return pieces;
}

/** The functions of one type, of which each is followed by the one that is most like it. */
function chained(functions, indices) {
  const pieces = new Map(indices.map((index) => [index, piecesOf(functions[index].body)]));
  const sharing = new Map();
  for (const [index, own] of pieces) {
    for (const piece of own) {
      if (!sharing.has(piece)) sharing.set(piece, []);
      sharing.get(piece).push(index);
    }
  }
  const sharingMax = Math.max(SHARING_FEW, indices.length * SHARING_SHARE_MAX);
  const left = new Set(indices);
  const order = [];
  const next = (current) => {
    const own = pieces.get(current);
    const shared = new Map();
    for (const piece of own) {
      const others = sharing.get(piece);
      if (others.length > sharingMax) continue;
      for (const other of others) {
        if (left.has(other)) shared.set(other, (shared.get(other) ?? 0) + 1);
      }
    }
    let best;
    let bestShare = 0;
    for (const [other, count] of shared) {
      const share = count / Math.max(own.size, pieces.get(other).size);
      if (share > bestShare || (share === bestShare && other < best)) {
        best = other;
        bestShare = share;
      }
    }
    return best;
  };
  for (const start of indices) {
    for (let current = start; current !== undefined && left.delete(current); ) {
      order.push(current);
      current = next(current);
    }
  }
  return order;
}

/**
 * The indices of functions in an order in which like stands beside like: by type, and within a type in
 * chains of the most similar, which begin crate by crate. Compression finds what functions share the
 * better the nearer they are: brotli makes 5 % less of the engine than in the compiler's order.
 */
export function similarOrder(functions) {
  const keys = functions.map(({ name, type, body }) => ({
    type,
    crate: name.replace(MANGLED, '').slice(0, NAME_LETTERS),
    start: Buffer.from(body.subarray(0, START_BYTES)),
  }));
  const compare = (a, b) =>
    a.type - b.type ||
    Buffer.compare(Buffer.from(a.crate), Buffer.from(b.crate)) ||
    Buffer.compare(a.start, b.start);
  const sorted = functions.map((_, index) => index);
  sorted.sort((a, b) => compare(keys[a], keys[b]) || a - b);
  const ofTypes = new Map();
  for (const index of sorted) {
    const { type } = functions[index];
    if (!ofTypes.has(type)) ofTypes.set(type, []);
    ofTypes.get(type).push(index);
  }
  return [...ofTypes.values()].flatMap((indices) => chained(functions, indices));
}

/**
 * Orders the functions of the module at `path`, and takes their names out. Answers what `runLines` does.
 * wasm-opt moves them by their names, so each is named by its place first.
 */
export async function orderFunctions(path, env) {
  const wasm = readFileSync(path);
  const order = similarOrder(functionsOf(wasm));
  const names = [];
  for (const [place, index] of order.entries()) names[index] = `${place}`.padStart(8, '0');
  const unordered = `${path}.unordered`;
  writeFileSync(unordered, renamed(wasm, names));
  const passes = ['--reorder-functions-by-name', '--strip-debug'];
  const done = await runLines('wasm-opt', [...FEATURES, unordered, ...passes, '-o', path], { env });
  rmSync(unordered, { force: true });
  if (done.code === 0 && !WebAssembly.validate(readFileSync(path))) {
    return { code: 1, tail: [`${path} is not valid with its functions ordered`] };
  }
  return done;
}
