import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolEnvironment } from '../../../scripts/lib/environment.mjs';
import { targetDir } from '../../../scripts/lib/paths.mjs';
import { runLines } from '../../../scripts/lib/run.mjs';

const EXAMPLE = 'kv_idb_browser_suite';
const TARGET = 'wasm32-unknown-unknown';

async function run(command, args, env) {
  const { code, tail } = await runLines(command, args, { env });
  if (code !== 0) throw new Error(`${command} failed:\n${tail.join('\n')}`);
}

/** Builds the suite as a wasm module and answers the new folder that holds it. */
export async function buildSuite() {
  const env = toolEnvironment();
  await run(
    'cargo',
    ['build', '-p', 'varve-kv-idb', '--example', EXAMPLE, '--target', TARGET],
    env,
  );
  const wasm = join(targetDir(env), TARGET, 'debug', 'examples', `${EXAMPLE}.wasm`);
  const out = mkdtempSync(join(tmpdir(), 'varve-kv-suite-'));
  await run(
    'wasm-bindgen',
    ['--target', 'web', '--no-typescript', '--out-dir', out, '--out-name', 'suite', wasm],
    env,
  );
  return out;
}
