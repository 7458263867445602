import { elapsed } from '../lib/progress.mjs';
import { runMain, Stop } from '../lib/stop.mjs';
import { setUp } from '../setup/index.mjs';
import { failures } from './failures.mjs';
import { runSuite } from './run-suite.mjs';
import { suites } from './suites.mjs';

/** Settings of the long runs (`npm run test:full`): more cases for each property test. */
const fullSettings = { PROPTEST_CASES: '4096', VARVEDB_TESTS: 'full' };

/** The suites whose names contain one of `words`; all when there are none. */
export function chosen(all, words) {
  if (words.length === 0) return all;
  const found = all.filter((suite) => words.some((word) => suite.name.includes(word)));
  if (found.length > 0) return found;
  throw new Stop(
    `No suite is called like that; there are: ${all.map((suite) => suite.name).join(', ')}.`,
  );
}

/** The output of suites that failed once more: who has only the end of it must see which tests they were. */
function printFailures(results) {
  for (const { name, failed, text } of results) {
    if (failed === 0) continue;
    console.log(`\n== what failed in ${name}`);
    for (const line of failures(text)) console.log(line);
  }
}

function printSummary(results) {
  const width = Math.max(...results.map((result) => result.name.length));
  console.log('');
  for (const { name, passed, failed, ms } of results) {
    const mark = failed > 0 ? 'FAILED' : 'ok';
    console.log(
      `${name.padEnd(width)}  ${mark.padEnd(6)}  ${passed} passed, ${failed} failed (${elapsed(ms)})`,
    );
  }
}

async function main() {
  const args = process.argv.slice(2);
  const wanted = chosen(
    suites,
    args.filter((arg) => arg !== '--full'),
  );
  const tools = await setUp('test').catch((error) => {
    // Whoever reads only the last line must not take a test run that never began for a good one.
    console.error(error instanceof Stop ? `\n${error.message}` : error);
    console.log('\n0 passed, 1 failed');
  });
  if (!tools) return 1;
  const env = args.includes('--full') ? { ...tools, ...fullSettings } : tools;
  const results = [];
  for (const suite of wanted) {
    console.log(`\n== ${suite.name}: ${suite.command.join(' ')}`);
    results.push(await runSuite(suite, env));
  }
  printFailures(results);
  printSummary(results);
  const passed = results.reduce((total, result) => total + result.passed, 0);
  const failed = results.reduce((total, result) => total + result.failed, 0);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) await runMain(main);
