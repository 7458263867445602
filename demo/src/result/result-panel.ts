import type { Results } from 'varvedb';
import { element } from '../ui/dom';
import { formatRows } from '../ui/figures';
import type { ArrayRow } from './array-row';
import { ResultGrid } from './grid';

/** Shows the last result that has columns. */
export class ResultPanel {
  readonly #container: HTMLElement;
  #grid: ResultGrid | undefined;

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  /** Gives the outcome in words. */
  show(results: readonly Results[]): string {
    const shown = [...results].reverse().find((result) => result.fields.length > 0);
    this.#grid?.end();
    this.#grid = undefined;
    if (shown) {
      this.#grid = new ResultGrid(shown.fields, shown.rows as unknown as readonly ArrayRow[]);
      this.#container.replaceChildren(this.#grid.element);
      this.#grid.start();
    } else {
      this.#container.replaceChildren(element('p', { class: 'quiet' }, 'No rows to show.'));
    }
    return outcomeOf(results, shown);
  }
}

function outcomeOf(results: readonly Results[], shown: Results | undefined): string {
  const last = shown ?? results.at(-1);
  if (!last) return 'Nothing to run';
  const rows = shown ? formatRows(shown.rows.length) : undefined;
  const changed =
    last.rowCount !== undefined && !shown
      ? `${last.command}, ${formatRows(last.rowCount)}`
      : undefined;
  const single = rows ?? changed ?? last.command;
  return results.length > 1 ? `${results.length} statements, ${single}` : single;
}
