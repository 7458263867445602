import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** The version of a package in the text of a `Cargo.lock`, or undefined. */
export function lockedVersion(lockText, name) {
  const found = lockText.match(new RegExp(`^name = "${name}"\\r?\\nversion = "([^"]+)"`, 'm'));
  return found?.[1];
}

/** The first `1.2.3` in what a tool prints for `--version`, or undefined. */
export function printedVersion(text) {
  return text.match(/\d+\.\d+\.\d+/)?.[0];
}

/** Channel, components and targets of the text of a `rust-toolchain.toml`. */
export function toolchainOf(tomlText) {
  const list = (key) => {
    const found = tomlText.match(new RegExp(`^${key} = \\[([^\\]]*)\\]`, 'm'));
    return [...(found?.[1] ?? '').matchAll(/"([^"]+)"/g)].map((match) => match[1]);
  };
  return {
    channel: tomlText.match(/^channel = "([^"]+)"/m)?.[1],
    components: list('components'),
    targets: list('targets'),
  };
}

export const wasmPackVersion = '0.15.1';

/** wasm-bindgen's tool reads what the crate of exactly the same version wrote. */
export function wasmBindgenVersion() {
  return lockedVersion(readFileSync(join(root, 'Cargo.lock'), 'utf8'), 'wasm-bindgen');
}

export function rustToolchain() {
  return toolchainOf(readFileSync(join(root, 'rust-toolchain.toml'), 'utf8'));
}
