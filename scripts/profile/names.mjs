import { spawnSync } from 'node:child_process';
import { root } from '../lib/paths.mjs';
import { Stop } from '../lib/stop.mjs';

/** The stable names of the functions of the module at `path`, imported ones first; '' where there is none. */
export function namesOf(path, env) {
  const args = ['run', '-q', '-p', 'varve-wasm-split', '--', '--names', path];
  const done = spawnSync('cargo', args, { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Stop(`cargo ${args.join(' ')} failed:\n${done.stderr}`);
  const lines = done.stdout.trimEnd().split('\n');
  // A function without a name has its number and a space.
  return lines.map((line) => line.slice(line.indexOf(' ') + 1));
}
