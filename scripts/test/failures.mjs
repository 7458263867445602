/** How a line begins or what it holds when a test failed: cargo, a panic, rustc, vitest, Playwright, `node --test`. */
const FAILED = /\bFAILED\b|panicked at|^error|^ *(?:not ok|FAIL|✘|×|✖) /;
const LINES_MAX = 60;
const LAST_LINES = 30;

/** What of a failed suite's output, without colours, says what failed: the lines that name it, and the last ones. */
export function failures(text) {
  const lines = text.trimEnd().split('\n');
  const last = lines.slice(-LAST_LINES);
  const named = lines.slice(0, -LAST_LINES).filter((line) => FAILED.test(line));
  return [...named.slice(0, LINES_MAX), ...last];
}
