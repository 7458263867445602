import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolEnvironment } from './environment.mjs';
import { targetDir } from './paths.mjs';
import { runLines } from './run.mjs';

const TARGET = 'wasm32-unknown-unknown';

async function run(command, args, env) {
  const { code, tail } = await runLines(command, args, { env });
  if (code !== 0) throw new Error(`${command} failed:\n${tail.join('\n')}`);
}

/**
 * Builds a module for tests: what cargo makes of `args` at `file` in its output folder, bound for `host`
 * ('web' or 'nodejs'). Answers the new folder with `suite.js`, which the caller removes.
 */
export async function buildWasmModule({ args, file, host }) {
  const env = toolEnvironment();
  await run('cargo', ['build', ...args, '--target', TARGET], env);
  const wasm = join(targetDir(env), TARGET, 'debug', file);
  const out = mkdtempSync(join(tmpdir(), 'varve-wasm-suite-'));
  const names = ['--out-dir', out, '--out-name', 'suite'];
  await run('wasm-bindgen', ['--target', host, '--no-typescript', ...names, wasm], env);
  return out;
}
