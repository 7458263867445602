import { spawn } from 'node:child_process';
import { buildWasm } from './build/wasm.mjs';
import { root } from './lib/paths.mjs';
import { Step } from './lib/progress.mjs';
import { runLines } from './lib/run.mjs';
import { runMain, Stop } from './lib/stop.mjs';
import { setUp } from './setup/index.mjs';

async function buildPackage(env) {
  const step = new Step(3, 3, 'Package varvedb');
  const { code, tail } = await runLines('npm', ['run', 'build', '-w', 'js'], { env });
  if (code === 0) {
    step.done('built');
    return;
  }
  console.error(tail.join('\n'));
  throw new Stop('The build of js/ failed, see above.');
}

/** Serves the demo until it is interrupted; the server prints its address. */
function serveDemo(env, args) {
  return new Promise((resolve) => {
    const server = spawn('npm', ['run', 'dev', '-w', 'demo', '--', ...args], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    server.on('close', (code) => resolve(code ?? 0));
  });
}

await runMain(async () => {
  const env = await setUp('start');
  await buildWasm(env, 1, 3);
  await buildPackage(env);
  console.log('\nThe demo, until Ctrl+C:');
  return serveDemo(env, process.argv.slice(2));
});
