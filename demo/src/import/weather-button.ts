import type { VarveDB } from 'varvedb';
import { button, element } from '../ui/dom';
import { formatCount } from '../ui/figures';
import { bundledWeather, WEATHER_ROWS } from './bundled-weather';
import { importTable } from './import-table';
import { ProgressView } from './progress-view';

/** The one button of the first visit; it moves into the side panel once there is something to see. */
export class WeatherButton {
  readonly element: HTMLElement;
  readonly #progress = new ProgressView('Import of the weather data');
  readonly #button: HTMLButtonElement;

  constructor(db: VarveDB, onDone: (rows: number) => void) {
    const label = `Import weather data (${formatCount(WEATHER_ROWS)} rows)`;
    this.#button = button(label, () => void this.#import(db, onDone), { class: 'primary large' });
    this.element = element('div', { class: 'weather' }, this.#button, this.#progress.element);
  }

  async #import(db: VarveDB, onDone: (rows: number) => void): Promise<void> {
    // Not `disabled`, which would drop the keyboard's focus.
    if (this.#button.getAttribute('aria-disabled') === 'true') return;
    this.#button.setAttribute('aria-disabled', 'true');
    let rows = 0;
    const isDone = await this.#progress.run(async (onProgress, signal) => {
      const result = await importTable(db, await bundledWeather(), onProgress, signal);
      rows = result.rowCount;
    });
    this.#button.removeAttribute('aria-disabled');
    if (isDone) onDone(rows);
  }
}
