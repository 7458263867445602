import { toolEnvironment } from '../lib/environment.mjs';
import { Step } from '../lib/progress.mjs';
import { runLines } from '../lib/run.mjs';
import { runMain, Stop } from '../lib/stop.mjs';
import { chromium, findChromium } from './chromium.mjs';
import { linker, rocksdbTools } from './native.mjs';
import { packages } from './packages.mjs';
import { rust } from './rust.mjs';
import { wasmBindgen, wasmPack } from './wasm-tools.mjs';

const NODE_MAJOR_MIN = 20;

/** What the demo needs, and what the tests need on top: RocksDB and a browser to drive. */
const forStart = [linker, rust, wasmBindgen, wasmPack, packages];
const forTest = [...forStart, chromium, rocksdbTools];

async function bringStep(step, part, env) {
  const run = async (command, args, runEnv = env) => {
    const { code, tail } = await runLines(command, args, {
      env: runEnv,
      onLine: (line) => step.news(line),
    });
    if (code === 0) return;
    step.fail();
    console.error(tail.join('\n'));
    throw new Stop(
      `Set-up stopped at "${part.title}": \`${command} ${args.join(' ')}\` failed, see above.`,
    );
  };
  step.wait(part.cost);
  await part.bring({ run, env });
  if (!part.find(env)) {
    step.fail();
    throw new Stop(`Set-up stopped at "${part.title}": it was installed, yet cannot be found.`);
  }
}

/** Brings what is missing for `goal` ('start' or 'test'); resolves to the environment to run tools in. */
export async function setUp(goal) {
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
    throw new Stop(
      `Node ${process.versions.node} is too old: install Node ${NODE_MAJOR_MIN} or newer.`,
    );
  }
  const parts = goal === 'test' ? forTest : forStart;
  const env = toolEnvironment();
  for (const [index, part] of parts.entries()) {
    const step = new Step(index + 1, parts.length, part.title);
    const found = part.find(env);
    if (!found) await bringStep(step, part, env);
    step.done(found ?? 'ready');
  }
  return goal === 'test' ? { ...env, CHROMIUM: findChromium(env) } : env;
}

if (process.argv[1] === import.meta.filename) {
  await runMain(async () => {
    await setUp(process.argv[2] === 'start' ? 'start' : 'test');
  });
}
