import type { Page } from 'playwright/test';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time of the thread, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * The CPU milliseconds of each task of the page's main thread while `work` runs. What the observer of
 * long tasks sees is elapsed time, in which other programs of a busy machine count as well.
 */
export async function mainThreadTasksMs(page: Page, work: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error('this browser cannot be traced');
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-lighthouse'] });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString());
  const events: readonly TraceEvent[] = trace.traceEvents;
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  return events
    .filter(({ name, ph }) => name.endsWith('RunTask') && ph === 'X')
    .filter(({ pid, tid }) => mainThreads.has(`${pid}/${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
}
