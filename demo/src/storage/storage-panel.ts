import type { VarveDB } from 'varvedb';
import { quoteIdentifier } from '../sql-text';
import { announce } from '../ui/announce';
import { button, element } from '../ui/dom';
import { formatBytes, formatRows } from '../ui/figures';
import { problemParagraphs } from '../ui/problem';
import { coreSample } from './core-sample';
import type { ColumnReport, TableReport } from './report';

type Overhead = NonNullable<TableReport['overhead']>;

/** The tables, and for each column its bytes as CSV and as stored, as bars with figures. */
export class StoragePanel {
  readonly #db: VarveDB;
  readonly #container: HTMLElement;
  readonly #onDrop: () => void;
  /** Which tables the user has opened or closed; the first is open until then. */
  readonly #isOpen = new Map<string, boolean>();

  constructor(db: VarveDB, container: HTMLElement, onDrop: () => void) {
    this.#db = db;
    this.#container = container;
    this.#onDrop = onDrop;
  }

  show(tables: readonly TableReport[]): void {
    if (tables.length === 0) {
      this.#container.replaceChildren(element('p', { class: 'quiet' }, 'There are no tables yet.'));
      return;
    }
    this.#container.replaceChildren(
      ...tables.map((table, index) => this.#card(table, index === 0)),
    );
  }

  showProblem(problem: unknown): void {
    this.#container.replaceChildren(...problemParagraphs(problem));
  }

  #card(table: TableReport, isFirst: boolean): HTMLElement {
    const card = element(
      'details',
      { class: 'table-card', open: this.#isOpen.get(table.name) ?? isFirst },
      element(
        'summary',
        {},
        element('strong', {}, table.name),
        ` ${formatRows(table.rows)}, ${formatBytes(table.storedBytes)}`,
      ),
    );
    card.addEventListener('toggle', () => this.#isOpen.set(table.name, card.open));
    const cores = coreSample(table);
    if (cores) card.append(cores);
    if (table.rowsInMemory > 0) {
      const text = `${formatRows(table.rowsInMemory)} are in the log and in memory, not yet laid down in columns.`;
      card.append(element('p', { class: 'quiet' }, text));
    }
    card.append(columnBars(table), this.#dropButton(table.name));
    return card;
  }

  #dropButton(table: string): HTMLElement {
    let isAsked = false;
    const drop = button(
      `Drop ${table}`,
      () => {
        if (!isAsked) {
          isAsked = true;
          drop.textContent = `Really drop ${table}?`;
          return;
        }
        void this.#drop(table);
      },
      { class: 'small' },
    );
    drop.addEventListener('blur', () => {
      isAsked = false;
      drop.textContent = `Drop ${table}`;
    });
    return drop;
  }

  async #drop(table: string): Promise<void> {
    try {
      await this.#db.exec(`DROP TABLE ${quoteIdentifier(table)} CASCADE`);
      announce(`Table ${table} dropped`);
      this.#onDrop();
    } catch (problem) {
      this.showProblem(problem);
    }
  }
}

function bar(kind: 'csv' | 'stored', label: string, bytes: number, bytesMost: number): HTMLElement {
  const fill = element('span', { class: `bar-fill ${kind}` });
  fill.style.width = `${bytesMost > 0 ? (bytes / bytesMost) * 100 : 0}%`;
  return element(
    'span',
    { class: 'bar' },
    element('span', { class: 'bar-track', 'aria-hidden': 'true' }, fill),
    element('span', { class: 'bar-figure' }, `${formatBytes(bytes)} ${label}`),
  );
}

function columnRow(column: ColumnReport, bytesMost: number): HTMLElement {
  const bars: Node[] = [];
  if (column.csvBytes !== undefined) bars.push(bar('csv', 'CSV', column.csvBytes, bytesMost));
  bars.push(bar('stored', 'stored', column.storedBytes, bytesMost));
  const type = `${column.type.toLowerCase()}${column.isKey ? ', key' : ''}`;
  const head = element(
    'th',
    { scope: 'row' },
    column.name,
    element('small', {}, type),
    element('small', {}, column.encodings),
  );
  return element('tr', {}, head, element('td', {}, ...bars));
}

function overheadRow({ what, bytes }: Overhead, bytesMost: number): HTMLElement {
  const head = element('th', { scope: 'row', class: 'overhead' }, what);
  return element('tr', {}, head, element('td', {}, bar('stored', 'stored', bytes, bytesMost)));
}

function columnBars(table: TableReport): HTMLElement {
  const bytesMost = Math.max(
    table.overhead?.bytes ?? 0,
    ...table.columns.flatMap((column) => [column.csvBytes ?? 0, column.storedBytes]),
  );
  const rows = table.columns.map((column) => columnRow(column, bytesMost));
  if (table.overhead) rows.push(overheadRow(table.overhead, bytesMost));
  return element(
    'table',
    { class: 'bars' },
    element('caption', { class: 'unseen' }, `Bytes of each column of ${table.name}`),
    element(
      'thead',
      { class: 'unseen' },
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, 'Column'),
        element('th', { scope: 'col' }, 'Bytes'),
      ),
    ),
    element('tbody', {}, ...rows),
  );
}
