import type { VarveDB } from 'varvedb';
import { type CsvSample, sampleCsvFile } from '../csv/csv-file';
import { COLUMN_TYPES } from '../csv/infer';
import { button, element } from '../ui/dom';
import { formatBytes, formatCount } from '../ui/figures';
import { problemParagraphs } from '../ui/problem';
import { importTable } from './import-table';
import { ProgressView } from './progress-view';

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
};

/** What an import made, for those who wait for it. */
export type ImportDone = (table: string, rows: number) => void;

/** Shows what a CSV file seems to hold, lets the user correct it, and imports it. */
export class CsvDialog {
  readonly #db: VarveDB;
  readonly #dialog: HTMLDialogElement;
  readonly #onDone: ImportDone;
  #isRunning = false;

  constructor(db: VarveDB, dialog: HTMLDialogElement, onDone: ImportDone) {
    this.#db = db;
    this.#dialog = dialog;
    this.#onDone = onDone;
  }

  async open(file: File): Promise<void> {
    const title = element('h2', { id: 'csv-title' }, `Import ${file.name}`);
    try {
      const sample = await sampleCsvFile(file);
      this.#dialog.replaceChildren(title, this.#form(file, sample));
    } catch (problem) {
      this.#dialog.replaceChildren(
        title,
        ...problemParagraphs(problem),
        this.#closeButton('Close'),
      );
    }
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #form(file: File, sample: CsvSample): HTMLFormElement {
    const table = element('input', { name: 'table', value: sample.table, required: true });
    table.autocomplete = 'off';
    const nullText = element('input', { name: 'null', value: sample.nullText, size: 8 });
    nullText.placeholder = 'nothing';
    const types = sample.columns.map(({ name, type }) => typeSelect(name, type));
    const progress = new ProgressView(`Import of ${file.name}`);
    const form = element(
      'form',
      { method: 'dialog' },
      element(
        'p',
        { class: 'quiet' },
        `${formatBytes(file.size)}, separated by ${DELIMITER_NAMES[sample.delimiter] ?? sample.delimiter}; types from the first ${formatCount(sample.records.length)} rows.`,
      ),
      element(
        'div',
        { class: 'fields' },
        element('label', {}, 'Table', table),
        element('label', {}, 'NULL is written as', nullText),
      ),
      columnTable(sample, types),
      progress.element,
      element(
        'div',
        { class: 'actions' },
        element('button', { type: 'submit', class: 'primary' }, 'Import'),
        this.#closeButton('Close'),
      ),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#isRunning) return;
      const columns = sample.columns.map(({ name }, index) => ({
        name,
        type: types[index]?.value ?? 'TEXT',
      }));
      void this.#import(progress, file, {
        table: table.value.trim(),
        columns,
        delimiter: sample.delimiter,
        nullText: nullText.value,
      });
    });
    this.#dialog.oncancel = (event) => {
      if (!this.#isRunning) return;
      event.preventDefault();
      progress.cancel();
    };
    return form;
  }

  async #import(
    progress: ProgressView,
    file: File,
    plan: Pick<Parameters<typeof importTable>[1], 'table' | 'columns' | 'delimiter' | 'nullText'>,
  ): Promise<void> {
    this.#isRunning = true;
    let rows = 0;
    const isDone = await progress.run(async (onProgress, signal) => {
      const whole = { ...plan, source: file.stream(), totalBytes: file.size };
      rows = (await importTable(this.#db, whole, onProgress, signal)).rowCount;
    });
    this.#isRunning = false;
    if (!isDone) return;
    this.#dialog.close();
    this.#onDone(plan.table, rows);
  }

  #closeButton(label: string): HTMLButtonElement {
    return button(label, () => {
      if (!this.#isRunning) this.#dialog.close();
    });
  }
}

function typeSelect(column: string, chosen: string): HTMLSelectElement {
  const options = COLUMN_TYPES.map((type) =>
    element('option', { value: type, selected: type === chosen }, type),
  );
  return element('select', { 'aria-label': `Type of ${column}` }, ...options);
}

function columnTable(sample: CsvSample, types: readonly HTMLSelectElement[]): HTMLElement {
  const first = sample.records[0] ?? [];
  const rows = sample.columns.map(({ name }, index) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name, element('small', {}, first[index] ?? '')),
      element('td', {}, types[index] ?? ''),
    ),
  );
  const head = ['Column and first value', 'Type'].map((label) =>
    element('th', { scope: 'col' }, label),
  );
  return element(
    'div',
    { class: 'column-list', tabindex: 0, role: 'region', 'aria-label': 'Columns' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...rows),
    ),
  );
}
