import { relative } from 'node:path';
import { root } from '../lib/paths.mjs';
import { ask } from '../lib/run.mjs';
import { Stop } from '../lib/stop.mjs';
import { FIRST_PART, SPLITTER } from './split.mjs';

/** Folders (absolute) of `name` and of all workspace packages that its build needs, given `cargo metadata`. */
export function closureOf(metadata, name) {
  const byName = new Map(metadata.packages.map((item) => [item.name, item]));
  const seen = new Set();
  const visit = (current) => {
    const item = byName.get(current);
    if (!item || seen.has(current)) return;
    seen.add(current);
    for (const dependency of item.dependencies) {
      if (dependency.kind !== 'dev') visit(dependency.name);
    }
  };
  visit(name);
  return [...seen]
    .map((each) => byName.get(each).manifest_path.replace(/[\\/]Cargo\.toml$/, ''))
    .sort();
}

/** What the wasm file is made of, relative to the root: crates, lock file, tool settings. */
export function wasmInputs({ crate, isSplit }, env) {
  const text = ask('cargo', ['metadata', '--no-deps', '--offline', '--format-version', '1'], env);
  if (text === undefined)
    throw new Stop('cargo cannot read the workspace: run `cargo metadata` to see why.');
  const crates = isSplit ? [crate, SPLITTER] : [crate];
  const metadata = JSON.parse(text);
  const folders = crates
    .flatMap((name) => closureOf(metadata, name))
    .map((folder) => relative(root, folder));
  return [
    ...folders,
    ...(isSplit ? [FIRST_PART] : []),
    'Cargo.toml',
    'Cargo.lock',
    'rust-toolchain.toml',
    '.cargo/config.toml',
    'scripts/build',
    'scripts/lib/wasm-code.mjs',
  ];
}
