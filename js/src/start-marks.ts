/**
 * What a page waits for until its database answers, as marks on its timeline: `performance.getEntriesByType('mark')`
 * has them, and so has the browser's profiler.
 */

/** In their order. */
export type StartStep =
  /** `create` was called. */
  | 'create'
  /** The worker's script runs, and the engine is being fetched. */
  | 'worker'
  /** The first part of the engine is compiled. */
  | 'compiled'
  /** It has started. */
  | 'started'
  /** The store is open. */
  | 'open'
  /** The first call was answered. */
  | 'answered';

/** A step that a worker has taken, in milliseconds since 1970: its clock starts at another time than the page's. */
export interface StepTaken {
  readonly step: StartStep;
  readonly atMs: number;
}

const taken: StepTaken[] = [];

/** Notes, in a worker, that a step is done. */
export function take(step: StartStep): void {
  taken.push({ step, atMs: performance.timeOrigin + performance.now() });
}

/** The steps that this worker has taken. */
export function stepsTaken(): readonly StepTaken[] {
  return taken;
}

/** Puts the marks of a worker's steps on the timeline of the page. */
export function markSteps(steps: readonly StepTaken[]): void {
  for (const { step, atMs } of steps) mark(step, Math.max(0, atMs - performance.timeOrigin));
}

/** Puts a mark on the timeline of the page. */
export function mark(step: StartStep, startTime = performance.now()): void {
  performance.mark(`varvedb:${step}`, { startTime });
}
