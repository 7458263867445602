import { readFileSync } from 'node:fs';
import { functionsOf } from '../lib/wasm-code.mjs';
import { readProfile } from '../profile/list.mjs';
import { namesOf } from '../profile/names.mjs';

/** `dyn` and references stand before the path of a type; what is ours begins with `varve`. */
const CRATE = /\b[a-z]\w*(?=::)/;

/** A row for each crate, largest first: bytes of code in the first part and in the second one, not compressed. */
export function codeByCrate(functions, names, profile) {
  const rows = new Map();
  for (const [index, { body }] of functions.entries()) {
    const name = names[index];
    const crate = CRATE.exec(name)?.[0] ?? 'others';
    const row = rows.get(crate) ?? { crate, first: 0, second: 0 };
    // What has no name stays in the first part.
    row[name === '' || profile.has(name) ? 'first' : 'second'] += body.length;
    rows.set(crate, row);
  }
  return [...rows.values()].sort((a, b) => b.first + b.second - a.first - a.second);
}

/** The same for the whole module at `path`, which has the names of its functions. */
export function codeOf(path, env) {
  const functions = functionsOf(readFileSync(path));
  const names = namesOf(path, env);
  return codeByCrate(functions, names.slice(names.length - functions.length), readProfile());
}
