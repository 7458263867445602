import type { VarveDB } from 'varvedb';
import { VarveError } from 'varvedb';
import type { ResultPanel } from '../result/result-panel';
import { offsetOfPosition } from '../sql-text';
import { button, byId } from '../ui/dom';
import { formatDuration } from '../ui/figures';
import { isCancellation, problemParagraphs } from '../ui/problem';
import { Editor, type Schema } from './editor';
import type { Sample } from './samples';

/** Statements after which tables and their storage are as they were. */
const READING = new Set(['SELECT', 'EXPLAIN', 'SHOW', 'VALUES', 'WITH']);

/** The editor, its buttons, and what came of the last run. */
export class QueryPanel {
  readonly #db: VarveDB;
  readonly #result: ResultPanel;
  readonly #onChange: () => void;
  readonly #editor: Editor;
  readonly #samples = byId('samples', HTMLFieldSetElement);
  readonly #run = byId('run', HTMLButtonElement);
  readonly #cancel = byId('cancel', HTMLButtonElement);
  readonly #outcome = byId('outcome', HTMLParagraphElement);
  readonly #problem = byId('query-error', HTMLDivElement);
  #stop: AbortController | undefined;

  constructor(db: VarveDB, result: ResultPanel, onChange: () => void) {
    this.#db = db;
    this.#result = result;
    this.#onChange = onChange;
    this.#editor = new Editor(byId('editor', HTMLDivElement), () => void this.run());
    const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
    byId('run-key', HTMLElement).textContent = isApple ? '⌘ Enter' : 'Ctrl Enter';
    this.#run.addEventListener('click', () => void this.run());
    this.#cancel.addEventListener('click', () => this.#stop?.abort());
  }

  /** Puts a text into the editor and runs it. */
  async runText(sql: string): Promise<void> {
    this.#editor.text = sql;
    await this.run();
  }

  offerSamples(samples: readonly Sample[]): void {
    const buttons = samples.map(({ label, sql }) =>
      button(label, () => void this.runText(sql), { title: sql }),
    );
    this.#samples.replaceChildren(...buttons);
  }

  offerSchema(schema: Schema): void {
    this.#editor.offerSchema(schema);
  }

  focus(): void {
    this.#editor.focus();
  }

  async run(): Promise<void> {
    if (this.#stop) return;
    const { text, offset } = this.#editor.chosen;
    if (text.trim() === '') return;
    const stop = new AbortController();
    this.#begin(stop);
    const begin = performance.now();
    try {
      const results = await this.#db.exec(text, { rowMode: 'array', signal: stop.signal });
      const duration = formatDuration(performance.now() - begin);
      this.#outcome.textContent = `${this.#result.show(results)} in ${duration}`;
      if (results.some(({ command }) => !READING.has(command))) this.#onChange();
    } catch (problem) {
      this.#show(problem, text, offset);
      // Statements before the wrong one may have changed something.
      this.#onChange();
    } finally {
      this.#end();
    }
  }

  #begin(stop: AbortController): void {
    this.#stop = stop;
    this.#editor.clearError();
    this.#problem.replaceChildren();
    this.#outcome.textContent = 'Running…';
    this.#run.setAttribute('aria-disabled', 'true');
    this.#cancel.hidden = false;
  }

  #end(): void {
    this.#stop = undefined;
    this.#run.removeAttribute('aria-disabled');
    if (document.activeElement === this.#cancel) this.#run.focus();
    this.#cancel.hidden = true;
  }

  #show(problem: unknown, text: string, offset: number): void {
    if (isCancellation(problem)) {
      this.#outcome.textContent = 'Cancelled';
      return;
    }
    this.#outcome.textContent = '';
    const paragraphs = [...problemParagraphs(problem)];
    if (problem instanceof VarveError && problem.position !== undefined) {
      const at = offset + offsetOfPosition(text, problem.position);
      const { line, column } = this.#editor.showError(at, problem.message);
      paragraphs[0]?.prepend(`Line ${line}, column ${column}: `);
    }
    this.#problem.replaceChildren(...paragraphs);
  }
}
