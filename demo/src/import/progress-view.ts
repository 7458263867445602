import { announce } from '../ui/announce';
import { button, element } from '../ui/dom';
import { formatBytes, formatRows } from '../ui/figures';
import { isCancellation, problemParagraphs } from '../ui/problem';
import type { ImportProgress } from './import-table';

/** Announced at these shares of the whole: often enough to know, seldom enough to listen. */
const ANNOUNCED_STEPS = 4;

/** Runs imports with a progress bar, a button to stop, and a place for what went wrong. */
export class ProgressView {
  readonly element = element('div', { class: 'progress', hidden: true });
  readonly #label: string;
  readonly #bar = element('progress', { max: 1, value: 0 });
  readonly #figures = element('p', { class: 'progress-figures' });
  readonly #problem = element('div', { class: 'problem', role: 'alert' });
  readonly #running: HTMLElement;
  #stop: AbortController | undefined;
  #announcedStep = 0;

  constructor(label: string) {
    this.#label = label;
    this.#bar.setAttribute('aria-label', label);
    const cancel = button('Cancel', () => this.cancel());
    this.#running = element(
      'div',
      { class: 'progress-running', hidden: true },
      this.#bar,
      element('div', { class: 'progress-line' }, this.#figures, cancel),
    );
    this.element.append(this.#running, this.#problem);
  }

  /** Whether `work` came to its end; otherwise the reason is shown here. */
  async run(
    work: (onProgress: (progress: ImportProgress) => void, signal: AbortSignal) => Promise<unknown>,
  ): Promise<boolean> {
    this.#stop = new AbortController();
    this.#announcedStep = 0;
    this.clear();
    this.element.hidden = false;
    this.#running.hidden = false;
    this.#bar.removeAttribute('value');
    this.#figures.textContent = 'Starting…';
    announce(`${this.#label}: started`);
    try {
      await work((progress) => this.#show(progress), this.#stop.signal);
      this.element.hidden = true;
      return true;
    } catch (problem) {
      if (isCancellation(problem)) {
        this.#problem.replaceChildren(element('p', {}, 'Cancelled; nothing was imported.'));
      } else this.#problem.replaceChildren(...problemParagraphs(problem));
      return false;
    } finally {
      this.#stop = undefined;
      this.#running.hidden = true;
    }
  }

  cancel(): void {
    this.#stop?.abort();
  }

  /** Takes away what an earlier run left to read. */
  clear(): void {
    this.#problem.replaceChildren();
    this.element.hidden = true;
  }

  #show({ bytes, totalBytes, rows }: ImportProgress): void {
    const share = totalBytes > 0 ? Math.min(1, bytes / totalBytes) : 1;
    this.#bar.value = share;
    this.#figures.textContent = `${formatRows(rows)}, ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
    const step = Math.floor(share * ANNOUNCED_STEPS);
    if (step > this.#announcedStep && step < ANNOUNCED_STEPS) {
      this.#announcedStep = step;
      announce(`${this.#label}: ${(share * 100).toFixed(0)} percent, ${formatRows(rows)}`);
    }
  }
}
