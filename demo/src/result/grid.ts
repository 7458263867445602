import type { Field } from 'varvedb';
import { element } from '../ui/dom';
import { formatCount } from '../ui/figures';
import type { ArrayRow } from './array-row';
import { cellText, isNumeric, typeName } from './cell-text';
import { columnWidths } from './column-widths';
import { RowWindow } from './row-window';

const ROW_PX = 28;
const HEADER_PX = 46;
const VIEWPORT_PX_MAX = 480;

/** Rows of the DOM, so few that no scroll step is long: those in sight, and some above and below. */
const OVERSCAN_ROWS = 6;

/**
 * A table of which only the rows near the visible ones exist. Screen readers learn each row's place from
 * `aria-rowindex`; the region around it is scrolled by wheel, touch or keys.
 */
export class ResultGrid {
  readonly element: HTMLElement;
  readonly #fields: readonly Field[];
  readonly #rows: readonly ArrayRow[];
  readonly #table: HTMLTableElement;
  readonly #body = element('tbody');
  readonly #window: RowWindow;
  readonly #onResize = new ResizeObserver(() => this.#render());
  #isScheduled = false;
  #firstShown = -1;

  constructor(fields: readonly Field[], rows: readonly ArrayRow[]) {
    this.#fields = fields;
    this.#rows = rows;
    this.#window = new RowWindow({ rows: rows.length, rowPx: ROW_PX, overscanRows: OVERSCAN_ROWS });
    this.#table = this.#makeTable();
    const canvas = element('div', { class: 'grid-canvas' }, this.#table);
    canvas.style.height = `${this.#window.heightPx + HEADER_PX}px`;
    canvas.style.width = this.#table.style.width;
    this.element = element(
      'div',
      { class: 'grid-viewport', role: 'region', tabindex: 0, 'aria-labelledby': 'result-title' },
      canvas,
    );
    const heightPx = Math.min(VIEWPORT_PX_MAX, this.#window.heightPx + HEADER_PX + 18);
    this.element.style.height = `${heightPx}px`;
    this.element.addEventListener('scroll', () => this.#schedule(), { passive: true });
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Shows rows, once the element is in the page and has a size. */
  start(): void {
    this.#render();
    this.#onResize.observe(this.element);
  }

  end(): void {
    this.#onResize.disconnect();
  }

  #makeTable(): HTMLTableElement {
    const widths = columnWidths(this.#fields, this.#rows);
    const columns = widths.map((width) => {
      const column = element('col');
      column.style.width = `${width}ch`;
      return column;
    });
    const heads = this.#fields.map(({ name, dataTypeID }) =>
      element(
        'th',
        { scope: 'col', class: isNumeric(dataTypeID) ? 'number' : undefined },
        name,
        element('small', {}, typeName(dataTypeID)),
      ),
    );
    const numbers = element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'Row'));
    const table = element(
      'table',
      { 'aria-rowcount': this.#rows.length + 1, 'aria-labelledby': 'result-title' },
      element('colgroup', {}, ...columns),
      element('thead', {}, element('tr', { 'aria-rowindex': 1 }, numbers, ...heads)),
      this.#body,
    );
    table.style.width = `${widths.reduce((total, width) => total + width, 0)}ch`;
    return table;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#render();
    });
  }

  #visiblePx(): number {
    return Math.max(ROW_PX, this.element.clientHeight - HEADER_PX);
  }

  #render(): void {
    const { first, count, topPx } = this.#window.at(this.element.scrollTop, this.#visiblePx());
    this.#table.style.top = `${topPx}px`;
    const isSame = first === this.#firstShown && count === this.#body.rows.length;
    if (isSame) return;
    this.#firstShown = first;
    while (this.#body.rows.length > count) this.#body.deleteRow(-1);
    while (this.#body.rows.length < count) this.#body.append(this.#emptyRow());
    let index = first;
    for (const row of this.#body.rows) {
      this.#fill(row, index);
      index += 1;
    }
  }

  #emptyRow(): HTMLTableRowElement {
    const cells = this.#fields.map(({ dataTypeID }) =>
      element('td', { class: isNumeric(dataTypeID) ? 'number' : undefined }),
    );
    return element('tr', {}, element('th', { scope: 'row' }), ...cells);
  }

  #fill(row: HTMLTableRowElement, index: number): void {
    const values = this.#rows[index] ?? [];
    row.ariaRowIndex = String(index + 2);
    row.className = index % 2 === 0 ? '' : 'odd';
    let place = -1;
    for (const cell of row.cells) {
      if (place < 0) cell.textContent = formatCount(index + 1);
      else {
        const text = cellText(values[place], this.#fields[place]?.dataTypeID ?? 0);
        cell.textContent = text ?? 'NULL';
        cell.classList.toggle('null', text === undefined);
      }
      place += 1;
    }
  }

  #onKey(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    const pageRows = Math.max(1, Math.floor(this.#visiblePx() / ROW_PX) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: pageRows,
      PageUp: -pageRows,
      Home: -this.#rows.length,
      End: this.#rows.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.element.scrollTop = this.#window.moved(this.element.scrollTop, step, this.#visiblePx());
  }
}
