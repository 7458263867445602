import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file at or under `paths` (relative to `root`), sorted, so that the order of listing does not matter. */
export function filesUnder(root, paths) {
  const files = [];
  for (const path of paths) {
    const full = join(root, path);
    if (!statSync(full).isDirectory()) {
      files.push(path);
      continue;
    }
    for (const entry of readdirSync(full, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) files.push(join(entry.parentPath, entry.name).slice(root.length + 1));
    }
  }
  return files.sort();
}

/** One hash of names and bytes of all files at or under `paths`, and of `notes` that also shape the output. */
export function hashOf(root, paths, notes = []) {
  const hash = createHash('sha256');
  for (const note of notes) hash.update(`${note}\0`);
  for (const file of filesUnder(root, paths)) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex').slice(0, 32);
}
