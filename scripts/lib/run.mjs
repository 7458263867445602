import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { root } from './paths.mjs';

const TAIL_LINES_MAX = 100;

/** What a command prints, or undefined when it is missing or fails. For quick questions only. */
export function ask(command, args, env = process.env) {
  const done = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' });
  return done.status === 0 ? done.stdout.trim() : undefined;
}

/** The path of a command, or undefined. */
export function which(command, env = process.env) {
  return ask('sh', ['-c', 'command -v "$1"', 'sh', command], env);
}

/** Runs a command and hands over each line of its output as it comes. Resolves to exit code and last lines. */
export function runLines(command, args, { env = process.env, cwd = root, onLine = () => {} } = {}) {
  return new Promise((resolve) => {
    const tail = [];
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const take = (line) => {
      tail.push(line);
      if (tail.length > TAIL_LINES_MAX) tail.shift();
      onLine(line);
    };
    createInterface({ input: child.stdout }).on('line', take);
    createInterface({ input: child.stderr }).on('line', take);
    child.on('error', (error) => resolve({ code: 127, tail: [error.message] }));
    child.on('close', (code) => resolve({ code: code ?? 1, tail }));
  });
}
