import type { VarveDB } from 'varvedb';

export const READINGS_TABLE = 'reading';

/** A hypertable of one-minute chunks, compressed after a minute and gone after five, with a row for each second. */
const SETUP = `
CREATE TABLE IF NOT EXISTS reading (time timestamptz NOT NULL, sensor int NOT NULL, value float8)
  WITH (tsdb.hypertable, tsdb.partition_column = 'time', tsdb.chunk_interval = '1 minute');
SELECT add_compression_policy('reading', INTERVAL '1 minute',
  schedule_interval => INTERVAL '15 seconds', if_not_exists => true);
SELECT add_retention_policy('reading', INTERVAL '5 minutes',
  schedule_interval => INTERVAL '15 seconds', if_not_exists => true);
CREATE MATERIALIZED VIEW IF NOT EXISTS reading_second
  WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
  SELECT time_bucket('1 second', time) AS second, count(*) AS readings,
    min(value) AS low, avg(value) AS mean, max(value) AS high
  FROM reading GROUP BY 1 WITH NO DATA;
SELECT add_continuous_aggregate_policy('reading_second', start_offset => INTERVAL '10 minutes',
  end_offset => INTERVAL '5 seconds', schedule_interval => INTERVAL '10 seconds', if_not_exists => true);`;

const INSERT =
  'INSERT INTO reading SELECT * FROM unnest($1::timestamptz[], $2::int[], $3::float8[])';

const SENSORS = 20;
const TICK_MS = 100;

/** Inserts made-up readings until it is stopped, as a page would that hears them from its devices. */
export class Feed {
  readonly #db: VarveDB;
  readonly #rowsPerSecond: () => number;
  #isRunning = false;
  /** Rows inserted, and milliseconds that the statements took. */
  rows = 0;
  busyMs = 0;

  constructor(db: VarveDB, rowsPerSecond: () => number) {
    this.#db = db;
    this.#rowsPerSecond = rowsPerSecond;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  stop(): void {
    this.#isRunning = false;
  }

  /** Ends when it is stopped, or with the error of a statement. */
  async run(): Promise<void> {
    this.#isRunning = true;
    try {
      await this.#db.exec(SETUP);
      let from = Date.now();
      while (this.#isRunning) {
        await pause(TICK_MS);
        const to = Date.now();
        await this.#insert(from, to);
        from = to;
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #insert(from: number, to: number): Promise<void> {
    const count = Math.round((this.#rowsPerSecond() * (to - from)) / 1000);
    const times: string[] = [];
    const sensors: number[] = [];
    const values: number[] = [];
    for (let row = 0; row < count; row += 1) {
      const at = from + ((to - from) * row) / count;
      const sensor = row % SENSORS;
      times.push(new Date(at).toISOString());
      sensors.push(sensor);
      values.push(readingOf(sensor, at));
    }
    const begin = performance.now();
    await this.#db.query(INSERT, [times, sensors, values]);
    this.busyMs += performance.now() - begin;
    this.rows += count;
  }
}

/** Two slow waves and some noise. */
function readingOf(sensor: number, ms: number): number {
  const seconds = ms / 1000;
  const wave = 8 * Math.sin(seconds / 9) + 3 * Math.sin(seconds / 2 + sensor);
  return Math.round((20 + wave + Math.random() * 2) * 100) / 100;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
