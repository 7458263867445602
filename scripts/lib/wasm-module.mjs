import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolEnvironment } from './environment.mjs';
import { targetDir } from './paths.mjs';
import { runLines } from './run.mjs';
import { Stop } from './stop.mjs';

const TARGET = 'wasm32-unknown-unknown';

export async function runTool(command, args, env) {
  const { code, tail } = await runLines(command, args, { env });
  if (code !== 0) throw new Stop(`${command} failed:\n${tail.join('\n')}`);
}

/**
 * Builds a module that is not shipped: what cargo makes of `args` under `profile` at `file` in its output folder,
 * bound for `host` ('web' or 'nodejs'). Answers the new folder with `<name>.js`, which the caller removes.
 */
export async function buildWasmModule({ args, file, host, profile = 'dev', name = 'suite' }) {
  const env = toolEnvironment();
  await runTool('cargo', ['build', '--profile', profile, ...args, '--target', TARGET], env);
  const folder = profile === 'dev' ? 'debug' : profile;
  const wasm = join(targetDir(env), TARGET, folder, file);
  const out = mkdtempSync(join(tmpdir(), 'varve-wasm-'));
  const names = ['--out-dir', out, '--out-name', name];
  await runTool('wasm-bindgen', ['--target', host, '--no-typescript', ...names, wasm], env);
  return out;
}
