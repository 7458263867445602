import { WEATHER_OPTIONS } from '../timeseries/weather-series';
import type { TableImport } from './import-table';

export const WEATHER_TABLE = 'weather';
export const WEATHER_ROWS = 26_115;

const CSV_BYTES = 2_294_215;

const COLUMNS = [
  ['origin', 'TEXT'],
  ['year', 'INT'],
  ['month', 'INT'],
  ['day', 'INT'],
  ['hour', 'INT'],
  ['temp', 'DOUBLE PRECISION'],
  ['dewp', 'DOUBLE PRECISION'],
  ['humid', 'DOUBLE PRECISION'],
  ['wind_dir', 'INT'],
  ['wind_speed', 'DOUBLE PRECISION'],
  ['wind_gust', 'DOUBLE PRECISION'],
  ['precip', 'DOUBLE PRECISION'],
  ['pressure', 'DOUBLE PRECISION'],
  ['visib', 'DOUBLE PRECISION'],
  ['time_hour', 'TIMESTAMPTZ'],
] as const;

/** Some servers send a `.gz` file as it is, others as content in gzip that the browser has undone already. */
function unpacked(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream();
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isGzip ? stream.pipeThrough(new DecompressionStream('gzip')) : stream;
}

/** The data set that comes with the demo: `weather` of nycflights13. */
export async function bundledWeather(): Promise<TableImport> {
  const response = await fetch(`${import.meta.env.BASE_URL}weather.csv.gz`);
  if (!response.ok) {
    throw new Error(`The data set could not be fetched: the server answered ${response.status}.`);
  }
  return {
    table: WEATHER_TABLE,
    columns: COLUMNS.map(([name, type]) => ({ name, type })),
    // Year, month, day and hour are local time, in which one hour of November comes twice.
    primaryKey: ['origin', 'time_hour'],
    options: WEATHER_OPTIONS,
    source: unpacked(new Uint8Array(await response.arrayBuffer())),
    totalBytes: CSV_BYTES,
    delimiter: ',',
    nullText: 'NA',
  };
}
