import type { VarveDB } from 'varvedb';
import { WEATHER_TABLE } from './import/bundled-weather';
import { CsvDialog } from './import/csv-dialog';
import { WeatherButton } from './import/weather-button';
import { LivePanel } from './live/live-panel';
import { QueryPanel } from './query/query-panel';
import { GENERAL_SAMPLES, tableSample, WEATHER_SAMPLES } from './query/samples';
import { ResultPanel } from './result/result-panel';
import { readReport, type TableReport } from './storage/report';
import { StoragePanel } from './storage/storage-panel';
import { TimeSeriesPanel } from './timeseries/timeseries-panel';
import { addWeatherPolicies } from './timeseries/weather-series';
import { announce } from './ui/announce';
import { byId } from './ui/dom';
import { formatRows } from './ui/figures';

/** The page around an open database. */
export class Demo {
  readonly #db: VarveDB;
  readonly #welcome = byId('welcome', HTMLElement);
  readonly #bench = byId('bench', HTMLDivElement);
  readonly #query: QueryPanel;
  readonly #storage: StoragePanel;
  readonly #weather: WeatherButton;
  readonly #timeSeries: TimeSeriesPanel;
  /** An empty database shows the welcome, until the user wants the editor all the same. */
  #isEmptyWanted = false;

  constructor(db: VarveDB) {
    this.#db = db;
    const refresh = () => void this.refresh();
    this.#query = new QueryPanel(db, new ResultPanel(byId('grid', HTMLDivElement)), refresh);
    this.#storage = new StoragePanel(db, byId('storage', HTMLDivElement), refresh);
    this.#weather = new WeatherButton(db, (rows) => void this.#imported(WEATHER_TABLE, rows));
    this.#timeSeries = new TimeSeriesPanel(
      db,
      byId('timeseries', HTMLElement),
      byId('timeseries-body', HTMLDivElement),
      refresh,
    );
    new LivePanel(db, refresh);
    this.#connectCsv();
    for (const start of document.querySelectorAll('[data-action="start-empty"]')) {
      start.addEventListener('click', () => void this.#startEmpty());
    }
  }

  /** Shows what an earlier visit has left, with an answer from it. */
  async start(): Promise<void> {
    await this.#refreshTables();
    const [, sample] = WEATHER_SAMPLES;
    if (this.#weather.element.hidden && sample) await this.#query.runText(sample.sql);
    await this.#timeSeries.refresh();
  }

  /** Reads the tables again and shows what there is. */
  async refresh(): Promise<void> {
    await this.#refreshTables();
    await this.#timeSeries.refresh();
  }

  async #refreshTables(): Promise<void> {
    try {
      this.#show(await readReport(this.#db));
    } catch (problem) {
      this.#bench.hidden = false;
      this.#storage.showProblem(problem);
    }
  }

  #show(tables: readonly TableReport[]): void {
    const filled = tables.filter((table) => table.rows > 0);
    const isWelcome = filled.length === 0 && !this.#isEmptyWanted;
    this.#welcome.hidden = !isWelcome;
    this.#bench.hidden = isWelcome;
    const home = isWelcome ? this.#welcome : this.#bench;
    home.querySelector('[data-slot="weather"]')?.append(this.#weather.element);
    const hasWeather = filled.some((table) => table.name === WEATHER_TABLE);
    this.#weather.element.hidden = hasWeather;
    this.#storage.show(tables);
    const others = filled.filter((table) => table.name !== WEATHER_TABLE);
    this.#query.offerSamples([
      ...(hasWeather ? WEATHER_SAMPLES : []),
      ...others.map((table) => tableSample(table.name)),
      ...(hasWeather ? [] : GENERAL_SAMPLES),
    ]);
    this.#query.offerSchema(
      Object.fromEntries(
        tables.map((table) => [table.name, table.columns.map((column) => column.name)]),
      ),
    );
  }

  #connectCsv(): void {
    const input = byId('csv-file', HTMLInputElement);
    const dialog = new CsvDialog(
      this.#db,
      byId('csv-dialog', HTMLDialogElement),
      (table, rows) => void this.#imported(table, rows),
    );
    for (const pick of document.querySelectorAll('[data-action="pick-csv"]')) {
      pick.addEventListener('click', () => input.click());
    }
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      // So that picking the same file again is a change too.
      input.value = '';
      if (file) void dialog.open(file);
    });
  }

  async #imported(table: string, rows: number): Promise<void> {
    announce(`${formatRows(rows)} imported into ${table}`);
    if (table === WEATHER_TABLE) await this.#addPolicies();
    await this.#refreshTables();
    const sample = table === WEATHER_TABLE ? WEATHER_SAMPLES[1] : tableSample(table);
    this.#query.focus();
    if (sample) await this.#query.runText(sample.sql);
    await this.#timeSeries.refresh();
  }

  async #addPolicies(): Promise<void> {
    try {
      await addWeatherPolicies(this.#db);
    } catch (problem) {
      this.#storage.showProblem(problem);
    }
  }

  async #startEmpty(): Promise<void> {
    this.#isEmptyWanted = true;
    await this.refresh();
    this.#query.focus();
  }
}
