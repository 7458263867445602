import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'playwright/test';
import type { DemoPage } from './demo-page';

export const WEATHER_FILE = join(import.meta.dirname, '../../../demo/public/weather.csv.gz');

export interface WeatherRow {
  readonly origin: string;
  readonly temp: number | undefined;
  readonly precip: number;
  readonly timeHour: string;
}

/** The data set, read by nothing of VarveDB's. No field of it is quoted. */
export function readWeather(): WeatherRow[] {
  const [header = '', ...lines] = gunzipSync(readFileSync(WEATHER_FILE))
    .toString()
    .trimEnd()
    .split('\n');
  const names = header.split(',');
  return lines.map((line) => {
    const fields = line.split(',');
    const field = (name: string) => fields[names.indexOf(name)] ?? '';
    return {
      origin: field('origin'),
      temp: field('temp') === 'NA' ? undefined : Number(field('temp')),
      precip: Number(field('precip')),
      timeHour: field('time_hour'),
    };
  });
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** Asks three questions and compares the answers with what the file says. */
export async function expectRightAnswers(
  demo: DemoPage,
  weather: readonly WeatherRow[],
): Promise<void> {
  expect(await demo.query('SELECT count(*), count(temp) FROM weather')).toEqual([
    [String(weather.length), String(weather.filter((row) => row.temp !== undefined).length)],
  ]);

  const groups = await demo.query(
    'SELECT origin, count(*), avg(temp), min(temp), max(temp), sum(precip) FROM weather GROUP BY origin ORDER BY origin',
  );
  const origins = [...new Set(weather.map((row) => row.origin))].sort(byText);
  expect(groups.map(([origin]) => origin)).toEqual(origins);
  for (const [origin, ...figures] of groups) {
    const rows = weather.filter((row) => row.origin === origin);
    const temps = rows.flatMap((row) => row.temp ?? []);
    const total = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0);
    const expected = [
      rows.length,
      total(temps) / temps.length,
      Math.min(...temps),
      Math.max(...temps),
      total(rows.map((row) => row.precip)),
    ];
    expected.forEach((figure, index) => {
      expect(Number(figures[index]), `${origin}, figure ${index}`).toBeCloseTo(figure, 6);
    });
  }

  const hottest = await demo.query(
    'SELECT origin, time_hour, temp FROM weather WHERE temp IS NOT NULL ORDER BY temp DESC, time_hour, origin LIMIT 10',
  );
  const expected = weather
    .filter((row) => row.temp !== undefined)
    .sort(
      (a, b) =>
        (b.temp ?? 0) - (a.temp ?? 0) ||
        byText(a.timeHour, b.timeHour) ||
        byText(a.origin, b.origin),
    )
    .slice(0, 10)
    .map((row) => [
      row.origin,
      row.timeHour.replace('T', ' ').replace('Z', '+00'),
      String(row.temp),
    ]);
  expect(hottest).toEqual(expected);
}
