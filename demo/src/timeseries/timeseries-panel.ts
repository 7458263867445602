import type { VarveDB } from 'varvedb';
import { announce } from '../ui/announce';
import { button, element } from '../ui/dom';
import { formatBytes, formatCount } from '../ui/figures';
import { problemParagraphs } from '../ui/problem';
import { type ChunkReport, type JobReport, readTimeSeries } from './report';

/** The chunks of hypertables and the jobs that work on them. */
export class TimeSeriesPanel {
  readonly #db: VarveDB;
  readonly #container: HTMLElement;
  readonly #section: HTMLElement;
  readonly #onRun: () => void;

  constructor(db: VarveDB, section: HTMLElement, container: HTMLElement, onRun: () => void) {
    this.#db = db;
    this.#section = section;
    this.#container = container;
    this.#onRun = onRun;
  }

  /** Reads both again; without any, the panel is not there. */
  async refresh(): Promise<void> {
    try {
      const { chunks, jobs } = await readTimeSeries(this.#db);
      this.#section.hidden = chunks.length === 0 && jobs.length === 0;
      const tables = [...new Set(chunks.map((chunk) => chunk.table))];
      this.#container.replaceChildren(
        ...tables.map((table) => chunkStrip(table, ofTable(chunks, table))),
        ...(jobs.length > 0 ? [this.#jobTable(jobs)] : []),
      );
    } catch (problem) {
      this.#section.hidden = false;
      this.#container.replaceChildren(...problemParagraphs(problem));
    }
  }

  #jobTable(jobs: readonly JobReport[]): HTMLElement {
    const heads = ['Job', 'Every', 'Runs', ''].map((head) => element('th', { scope: 'col' }, head));
    const rows = jobs.map((job) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, job.name, element('small', {}, job.table ?? '')),
        element('td', {}, job.every),
        element('td', {}, formatCount(job.runs), element('small', {}, job.status ?? 'not yet')),
        element('td', {}, this.#runButton(job)),
      ),
    );
    return element(
      'table',
      { class: 'jobs' },
      element('caption', { class: 'unseen' }, 'Jobs'),
      element('thead', {}, element('tr', {}, ...heads)),
      element('tbody', {}, ...rows),
    );
  }

  #runButton({ id, name }: JobReport): HTMLElement {
    return button('Run', () => void this.#run(id, name), {
      class: 'small',
      'aria-label': `Run ${name} ${id}`,
    });
  }

  async #run(id: number, name: string): Promise<void> {
    try {
      await this.#db.query(`CALL run_job(${id})`);
      announce(`${name} has run`);
      this.#onRun();
    } catch (problem) {
      this.#container.prepend(...problemParagraphs(problem));
    }
  }
}

function ofTable(chunks: readonly ChunkReport[], table: string): ChunkReport[] {
  return chunks.filter((chunk) => chunk.table === table).reverse();
}

/** Chunks as layers side by side, the oldest first; what is compressed is dark. */
function chunkStrip(table: string, chunks: readonly ChunkReport[]): HTMLElement {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  const compressed = chunks.filter((chunk) => chunk.isCompressed).length;
  const layers = chunks.map((chunk) =>
    element('li', {
      class: chunk.isCompressed ? 'chunk compressed' : 'chunk',
      title: `${chunk.from} to ${chunk.to}: ${formatBytes(chunk.bytes)}${chunk.isCompressed ? ', compressed' : ''}`,
    }),
  );
  return element(
    'div',
    { class: 'chunks' },
    element(
      'p',
      {},
      element('strong', {}, table),
      ` ${chunks.length} ${chunks.length === 1 ? 'chunk' : 'chunks'}, ${compressed} compressed, ${formatBytes(bytes)}`,
    ),
    element('ol', { 'aria-hidden': true }, ...layers),
  );
}
