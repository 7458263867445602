import type { VarveDB } from 'varvedb';

/** Weather as a hypertable of months. */
export const WEATHER_OPTIONS =
  "tsdb.hypertable, tsdb.partition_column = 'time_hour', tsdb.chunk_interval = '30 days'";

/** What follows the import: chunks older than a week are compressed, and days are kept ready. */
const POLICIES = `
SELECT add_compression_policy('weather', INTERVAL '7 days');
SELECT add_retention_policy('weather', INTERVAL '100 years');
CREATE MATERIALIZED VIEW weather_day
  WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
  SELECT origin, time_bucket('1 day', time_hour, 'America/New_York') AS day,
    min(temp) AS coldest, avg(temp) AS mean, max(temp) AS hottest, sum(precip) AS precip
  FROM weather GROUP BY 1, 2;
SELECT add_continuous_aggregate_policy('weather_day', start_offset => NULL, end_offset => INTERVAL '1 day',
  schedule_interval => INTERVAL '1 day');`;

export async function addWeatherPolicies(db: VarveDB): Promise<void> {
  await db.exec(POLICIES);
}
