import type { VarveDB } from 'varvedb';
import { byId } from '../ui/dom';
import { formatCount, formatDuration } from '../ui/figures';
import { problemParagraphs } from '../ui/problem';
import { Chart, type Second } from './chart';
import { Feed, pause } from './feed';

const SECONDS = `SELECT extract(epoch FROM second)::float8, low, mean, high
FROM reading_second WHERE second >= now() - INTERVAL '2 minutes' ORDER BY second`;

const DRAW_MS = 500;

/** Readings that come in all the time, and a chart of them that is a query of a continuous aggregate. */
export class LivePanel {
  readonly #db: VarveDB;
  readonly #feed: Feed;
  readonly #button = byId('live-button', HTMLButtonElement);
  readonly #rate = byId('live-rate', HTMLSelectElement);
  readonly #outcome = byId('live-outcome', HTMLParagraphElement);
  readonly #problem = byId('live-problem', HTMLDivElement);
  readonly #container = byId('live-chart', HTMLDivElement);
  readonly #onTick: () => void;
  #chart: Chart | undefined;

  /** `onTick` is called now and then while readings come. */
  constructor(db: VarveDB, onTick: () => void) {
    this.#db = db;
    this.#onTick = onTick;
    this.#feed = new Feed(db, () => Number(this.#rate.value));
    this.#button.addEventListener('click', () => this.#toggle());
  }

  #toggle(): void {
    if (this.#feed.isRunning) {
      this.#feed.stop();
      return;
    }
    this.#problem.replaceChildren();
    this.#button.textContent = 'Stop';
    const feeding = this.#feed.run();
    const drawing = this.#draw();
    feeding
      .then(() => drawing)
      .catch((problem) => this.#problem.replaceChildren(...problemParagraphs(problem)))
      .finally(() => {
        this.#button.textContent = 'Start';
        this.#onTick();
      });
  }

  async #draw(): Promise<void> {
    const begin = performance.now();
    const rowsBefore = this.#feed.rows;
    for (let round = 0; this.#feed.isRunning; round += 1) {
      await pause(DRAW_MS);
      if (!this.#feed.isRunning || this.#feed.rows === 0) continue;
      const asked = performance.now();
      const { rows } = await this.#db.query<Second>(SECONDS, [], { rowMode: 'array' });
      const answered = performance.now();
      this.#chart ??= new Chart(this.#container);
      this.#chart.show(rows);
      const rate = ((this.#feed.rows - rowsBefore) * 1000) / (answered - begin);
      this.#outcome.textContent = `${formatCount(Math.round(rate))} rows a second, the chart's query in ${formatDuration(answered - asked)}`;
      if (round % 4 === 0) this.#onTick();
    }
  }
}
