import { spawn } from 'node:child_process';
import { root } from '../lib/paths.mjs';
import { oneCheck, plain, settle } from './counts.mjs';

const MINUTES_MAX = 20;

/** Runs one suite with its output passed on as it comes; resolves to its counts and what it printed. */
export function runSuite({ name, command, count, minutesMax = MINUTES_MAX }, env) {
  return new Promise((resolve) => {
    const [program, ...args] = command;
    const begin = performance.now();
    let text = '';
    // A group of its own, so that the time limit also ends the browsers that the suite started.
    const child = spawn(program, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const finish = (code) => {
      clearTimeout(limit);
      const whole = plain(text);
      const counts = settle(count(whole), code, count === oneCheck);
      resolve({ name, ...counts, ms: performance.now() - begin, text: whole });
    };
    const limit = setTimeout(() => {
      console.error(`${name}: not finished after ${minutesMax} minutes, ended.`);
      process.kill(-child.pid, 'SIGKILL');
    }, minutesMax * 60_000);
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8');
      child[stream].on('data', (chunk) => {
        text += chunk;
        process[stream].write(chunk);
      });
    }
    child.on('error', (error) => {
      console.error(error.message);
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 1));
    process.once('SIGINT', () => process.kill(-child.pid, 'SIGINT'));
  });
}
