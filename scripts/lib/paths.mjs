import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Everything that outlives a clone: cargo's target directory, built tools, built wasm. */
export function cacheDir(env = process.env) {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'varvedb');
}

export function targetDir(env = process.env) {
  return env.CARGO_TARGET_DIR || join(cacheDir(env), 'target');
}

/** A versioned folder per tool, so that clones that lock different versions do not disturb each other. */
export function toolDir(name, version, env = process.env) {
  return join(cacheDir(env), 'tools', `${name}-${version}`);
}

export function cargoBinDir(env = process.env) {
  return join(env.CARGO_HOME || join(homedir(), '.cargo'), 'bin');
}

/** `path` with `folders` in front, each once. */
export function pathWith(folders, path) {
  const rest = (path ?? '')
    .split(delimiter)
    .filter((folder) => folder && !folders.includes(folder));
  return [...folders, ...rest].join(delimiter);
}
