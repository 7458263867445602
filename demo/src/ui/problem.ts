import { VarveError } from 'varvedb';
import { element } from './dom';

/** An error as its parts: the message with its code, then detail, hint and where it arose. */
export function problemLines(problem: unknown): readonly string[] {
  if (!(problem instanceof VarveError)) {
    return [problem instanceof Error ? problem.message : String(problem)];
  }
  const lines = [`${problem.message} (${problem.code})`];
  if (problem.where) lines.push(problem.where);
  if (problem.detail) lines.push(problem.detail);
  if (problem.hint) lines.push(`Hint: ${problem.hint}`);
  return lines;
}

/** The same as paragraphs, the first one prominent. */
export function problemParagraphs(problem: unknown): readonly HTMLElement[] {
  return problemLines(problem).map((line, index) =>
    element('p', { class: index === 0 ? 'problem-message' : 'problem-more' }, line),
  );
}

/** Whether it only says that the user stopped what was running. */
export function isCancellation(problem: unknown): boolean {
  return problem instanceof VarveError && problem.code === '57014';
}
