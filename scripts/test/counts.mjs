/**
 * How many tests a suite's output says passed and failed. Each reader takes the whole text, without
 * colours, and is the only place that knows one tool's wording.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour code begins with the escape character.
const COLOUR = /\x1b\[[0-9;]*m/g;

export const plain = (text) => text.replace(COLOUR, '');

function sum(text, pattern) {
  let total = 0;
  for (const match of text.matchAll(pattern)) total += Number(match[1]);
  return total;
}

/** `node --test`: `# pass 3` in TAP, `i pass 3` in the spec reporter. */
export const nodeTest = (text) => ({
  passed: sum(text, /^\S+ pass (\d+)$/gm),
  failed: sum(text, /^\S+ fail (\d+)$/gm),
});

/** `cargo test`, native and by wasm-bindgen's runner: one `test result:` line for each binary. */
export const cargoTest = (text) => ({
  passed: sum(text, /^test result: .*?(\d+) passed/gm),
  failed: sum(text, /^test result: .*?(\d+) failed/gm),
});

/** vitest: `      Tests  1 failed | 4 passed (5)`. */
export const vitest = (text) => ({
  passed: sum(text, /^ *Tests .*?(\d+) passed/gm),
  failed: sum(text, /^ *Tests .*?(\d+) failed/gm),
});

/** Playwright: `  2 failed` and `  5 passed (3.1s)` on lines of their own. */
export const playwright = (text) => ({
  passed: sum(text, /^ {2}(\d+) passed/gm),
  failed: sum(text, /^ {2}(\d+) failed/gm),
});

/** A check that has no counts of its own is one test. */
export const oneCheck = () => ({ passed: 0, failed: 0 });

/** The counts of a finished suite: a bad exit without a failed test is a failure, and so is a good one without any test. */
export function settle(counts, code, isOneCheck) {
  if (code !== 0) return { passed: counts.passed, failed: Math.max(1, counts.failed) };
  if (isOneCheck) return { passed: 1, failed: 0 };
  if (counts.passed + counts.failed === 0) return { passed: 0, failed: 1 };
  return counts;
}
