// TSBS's DevOps queries on a hypertable, and rows that come in while jobs run: each step is called from outside.

import { VarveDB } from './js/index.js';

const HOSTS = 100;
const TICK_S = 10;
const START_S = Date.UTC(2016, 0, 1) / 1000;
const METRICS =
  'usage_user usage_system usage_idle usage_nice usage_iowait usage_irq usage_softirq usage_steal usage_guest usage_guest_nice'.split(
    ' ',
  );
const BATCH_TICKS = 100;

let db;
let rowsLoaded = 0;
let state = 1;

/** Numbers from 0 to 1 that are the same in every run (xorshift). */
function unit() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

function gauss() {
  return Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
}

/** Rows by tick, then by host: each metric is a walk between 0 and 100, stored as an integer. */
async function* batches(rows) {
  const now = METRICS.map(() => Float64Array.from({ length: HOSTS }, () => 100 * unit()));
  const ticks = Math.ceil(rows / HOSTS);
  for (let first = 0; first < ticks; first += BATCH_TICKS) {
    const count = Math.min(BATCH_TICKS, ticks - first);
    const time = [];
    const hostname = [];
    const metrics = METRICS.map(() => new Float64Array(count * HOSTS));
    for (let tick = 0; tick < count; tick += 1) {
      const at = new Date((START_S + (first + tick) * TICK_S) * 1000).toISOString();
      for (let host = 0; host < HOSTS; host += 1) {
        const row = tick * HOSTS + host;
        time.push(at);
        hostname.push(`host_${host}`);
        metrics.forEach((values, metric) => {
          now[metric][host] = Math.min(100, Math.max(0, now[metric][host] + gauss()));
          values[row] = Math.floor(now[metric][host]);
        });
      }
    }
    yield { time, hostname, ...Object.fromEntries(METRICS.map((name, at) => [name, metrics[at]])) };
  }
}

const list = (function_, metrics) =>
  metrics.map((metric) => `${function_}(${metric}) AS ${metric}`).join(', ');
const hosts = (count) => {
  const names = new Set();
  while (names.size < count) names.add(`'host_${Math.floor(unit() * HOSTS)}'`);
  return [...names].join(', ');
};

/** A window of so many hours somewhere in the data. */
function windowOf(hours) {
  const last = (rowsLoaded / HOSTS) * TICK_S;
  const from = START_S + Math.floor(unit() * Math.max(0, last - hours * 3600));
  const text = (seconds) => `'${new Date(seconds * 1000).toISOString()}'`;
  return {
    between: `time >= ${text(from)} AND time < ${text(from + hours * 3600)}`,
    end: text(from + hours * 3600),
  };
}

const single = (metrics, hostCount, hours) => () =>
  `SELECT time_bucket('1 minute', time) AS minute,
  ${list('max', METRICS.slice(0, metrics))} FROM cpu
  WHERE hostname IN (${hosts(hostCount)}) AND ${windowOf(hours).between} GROUP BY minute ORDER BY minute`;
const maxAll = (hostCount) => () =>
  `SELECT time_bucket('1 hour', time) AS hour, ${list('max', METRICS)} FROM cpu
  WHERE hostname IN (${hosts(hostCount)}) AND ${windowOf(8).between} GROUP BY hour ORDER BY hour`;
const double = (metrics) => () =>
  `SELECT time_bucket('1 hour', time) AS hour, hostname,
  ${list('avg', METRICS.slice(0, metrics))} FROM cpu WHERE ${windowOf(12).between}
  GROUP BY hour, hostname ORDER BY hour, hostname`;

const QUERIES = {
  'single-groupby-1-1-1': single(1, 1, 1),
  'single-groupby-1-1-12': single(1, 1, 12),
  'single-groupby-1-8-1': single(1, 8, 1),
  'single-groupby-5-1-1': single(5, 1, 1),
  'single-groupby-5-1-12': single(5, 1, 12),
  'single-groupby-5-8-1': single(5, 8, 1),
  'cpu-max-all-1': maxAll(1),
  'cpu-max-all-8': maxAll(8),
  'double-groupby-1': double(1),
  'double-groupby-5': double(5),
  'double-groupby-all': double(10),
  'groupby-orderby-limit':
    () => `SELECT time_bucket('1 minute', time) AS minute, max(usage_user) FROM cpu
    WHERE time < ${windowOf(1).end} GROUP BY minute ORDER BY minute DESC LIMIT 5`,
  'high-cpu-1': () =>
    `SELECT * FROM cpu WHERE usage_user > 90.0 AND ${windowOf(12).between} AND hostname = ${hosts(1)}`,
  'high-cpu-all': () => `SELECT * FROM cpu WHERE usage_user > 90.0 AND ${windowOf(12).between}`,
  lastpoint: () => 'SELECT DISTINCT ON (hostname) * FROM cpu ORDER BY hostname, time DESC',
};

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

async function medianMs(count, call) {
  const all = [];
  for (let i = 0; i < count; i += 1) {
    const begin = performance.now();
    await call();
    all.push(performance.now() - begin);
  }
  return median(all);
}

const LIVE = `
CREATE TABLE reading (time timestamptz NOT NULL, sensor int NOT NULL, value float8)
  WITH (tsdb.hypertable, tsdb.partition_column = 'time', tsdb.chunk_interval = '10 seconds');
SELECT add_compression_policy('reading', INTERVAL '10 seconds', schedule_interval => INTERVAL '5 seconds');
SELECT add_retention_policy('reading', INTERVAL '40 seconds', schedule_interval => INTERVAL '5 seconds');
CREATE MATERIALIZED VIEW reading_second WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
  SELECT time_bucket('1 second', time) AS second, count(*) AS n, avg(value) AS mean
  FROM reading GROUP BY 1 WITH NO DATA;
SELECT add_continuous_aggregate_policy('reading_second', INTERVAL '1 minute', INTERVAL '3 seconds',
  INTERVAL '5 seconds');`;

/** Figures by their names, each with its unit. */
globalThis.steps = {
  async load({ rows }) {
    db = await VarveDB.create('idb://tsbs');
    await db.exec(`CREATE TABLE cpu (time timestamptz NOT NULL, hostname text, ${METRICS.map((name) => `${name} float8`).join(', ')})
      WITH (tsdb.hypertable, tsdb.partition_column = 'time', tsdb.chunk_interval = '8 hours',
        tsdb.segmentby = 'hostname', tsdb.orderby = 'time DESC')`);
    const loaded = await db.bulkLoad('cpu', batches(rows));
    rowsLoaded = rows;
    await db.query('SELECT compress_chunk(c) FROM show_chunks($1) c', ['cpu']);
    const size = await db.query("SELECT hypertable_size('cpu')::float8 AS bytes");
    return {
      'rows/s': (rows * 1000) / loaded.durationMs,
      'bytes/row': size.rows[0].bytes / rows,
    };
  },
  async query({ name, windows }) {
    await db.query(QUERIES[name]());
    return { 'median ms': await medianMs(windows, () => db.query(QUERIES[name]())) };
  },
  /** Rows come in at a rate, in a tenth of a second each, while jobs run and a query is asked each second. */
  async live({ rowsPerSecond, seconds }) {
    await db.exec(LIVE);
    const asked = [];
    const end = performance.now() + seconds * 1000;
    let rows = 0;
    const asking = (async () => {
      while (performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const begin = performance.now();
        await db.query(
          "SELECT second, n, mean FROM reading_second WHERE second >= now() - INTERVAL '10 seconds' ORDER BY 1",
        );
        asked.push(performance.now() - begin);
      }
    })();
    const begin = performance.now();
    let from = Date.now();
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const to = Date.now();
      const count = Math.round((rowsPerSecond * (to - from)) / 1000);
      const time = new Array(count);
      const sensor = new Int32Array(count);
      const value = new Float64Array(count);
      for (let row = 0; row < count; row += 1) {
        time[row] = from + ((to - from) * row) / count;
        sensor[row] = row % 100;
        value[row] = Math.round(unit() * 10_000) / 100;
      }
      await insert(time, sensor, value);
      rows += count;
      from = to;
    }
    const took = (performance.now() - begin) / 1000;
    await asking;
    const kept = await db.query('SELECT count(*)::float8 AS n FROM reading');
    const jobs = await db.query(
      'SELECT coalesce(sum(total_successes), 0)::float8 AS runs, coalesce(sum(total_failures), 0)::float8 AS failures FROM timescaledb_information.job_stats',
    );
    return {
      'rows/s': rows / took,
      'query median ms': median(asked),
      'query slowest ms': Math.max(...asked),
      'rows kept': kept.rows[0].n,
      'runs of jobs': jobs.rows[0].runs,
      'failures of jobs': jobs.rows[0].failures,
    };
  },
};
globalThis.queries = Object.keys(QUERIES);

/** One statement for all rows: their columns as text of arrays, times as seconds. */
async function insert(time, sensor, value) {
  await db.query(
    'INSERT INTO reading SELECT to_timestamp(t), s, v FROM unnest($1::float8[], $2::int[], $3::float8[]) AS r(t, s, v)',
    [Array.from(time, (ms) => ms / 1000), Array.from(sensor), Array.from(value)],
  );
}
