import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { runLines } from '../lib/run.mjs';
import { orderFunctions } from './function-order.mjs';

/** The functions of the first part, by their stable names: what typical pages run. */
export const FIRST_PART = join('scripts', 'profile', 'functions.txt');
/** The package that splits. */
export const SPLITTER = 'varve-wasm-split';

/**
 * Splits the module `NAME_bg.wasm` in `folder` in two. The whole module stays as `NAME_named.wasm`, with the names of
 * its functions, for `npm run profile`. Answers what `runLines` does.
 */
export function splitInTwo(folder, name, env) {
  renameSync(join(folder, `${name}_bg.wasm`), join(folder, `${name}_named.wasm`));
  return splitNamed(folder, name, join(root, FIRST_PART), env);
}

/**
 * Makes the first part `NAME_bg.wasm` and the second one `NAME_rest_bg.wasm` of the module `NAME_named.wasm` in
 * `folder`, by the profile at `profile`. Answers what `runLines` does.
 */
export async function splitNamed(folder, name, profile, env) {
  const first = join(folder, `${name}_bg.wasm`);
  const second = join(folder, `${name}_rest_bg.wasm`);
  const paths = [join(folder, `${name}_named.wasm`), profile, first, second];
  const split = await runLines('cargo', ['run', '-q', '-p', SPLITTER, '--', ...paths], {
    env,
  });
  if (split.code !== 0) return split;
  for (const part of [first, second]) {
    const ordered = await orderFunctions(part, env);
    if (ordered.code !== 0) return ordered;
  }
  return split;
}
