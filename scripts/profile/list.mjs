import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PATH = join(import.meta.dirname, 'functions.txt');

/** The functions that typical pages run, each as a path and a hash; see `stable_name` in varve-wasm-split. */
export function readProfile(file = PATH) {
  const names = new Set();
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const [path, ...hashes] = line.split(' ');
    for (const hash of hashes) names.add(`${path} ${hash}`);
  }
  return names;
}

/** Writes a line a path, in order, so that a change shows what has come and gone. */
export function writeProfile(names, file = PATH) {
  const hashes = new Map();
  for (const name of [...names].sort()) {
    const [path, hash] = name.split(' ');
    hashes.set(path, [...(hashes.get(path) ?? []), hash]);
  }
  const lines = [...hashes].map(([path, own]) => [path, ...own].join(' '));
  writeFileSync(file, `${lines.join('\n')}\n`);
}
