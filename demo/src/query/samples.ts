import { quoteIdentifier } from '../sql-text';

export interface Sample {
  readonly label: string;
  readonly sql: string;
}

/** Queries about the bundled weather data. */
export const WEATHER_SAMPLES: readonly Sample[] = [
  {
    label: 'Count',
    sql: 'SELECT count(*) FROM weather;',
  },
  {
    label: 'By airport',
    sql: `SELECT origin,
       count(*) AS hours,
       avg(temp) AS mean_temp,
       min(temp) AS coldest,
       max(temp) AS hottest
FROM weather
GROUP BY origin
ORDER BY origin;`,
  },
  {
    label: 'Hottest hours',
    sql: `SELECT origin, time_hour, temp, humid
FROM weather
WHERE temp IS NOT NULL
ORDER BY temp DESC, time_hour, origin
LIMIT 10;`,
  },
  {
    label: 'Wet months',
    sql: `SELECT month, sum(precip) AS inches, count(wind_gust) AS gusty_hours
FROM weather
WHERE precip > 0
GROUP BY month
ORDER BY inches DESC;`,
  },
  {
    label: 'Days',
    sql: `SELECT day, origin, coldest, mean, hottest, precip
FROM weather_day
ORDER BY day DESC, origin
LIMIT 60;`,
  },
  {
    label: 'All rows',
    sql: 'SELECT * FROM weather;',
  },
];

/** For a database without the weather data. */
export const GENERAL_SAMPLES: readonly Sample[] = [
  { label: 'Tables', sql: 'SELECT * FROM varve_tables;' },
  { label: 'Storage', sql: 'SELECT * FROM varve_storage;' },
];

/** The first look at any table; the name is quoted, for it may need it. */
export function tableSample(table: string): Sample {
  return { label: table, sql: `SELECT * FROM ${quoteIdentifier(table)} LIMIT 1000;` };
}
