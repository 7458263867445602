// What an application's page asks of many rows, in the words of each engine.

const byDay = (day) =>
  `SELECT ${day} AS day, count(*) AS n, avg(value) AS mean FROM reading GROUP BY 1 ORDER BY 1`;

/** Queries by their names; a function takes how the engine cuts a timestamp down to its day. */
const QUERIES = {
  'totals of all rows':
    'SELECT count(*) AS n, sum(value) AS total, avg(value) AS mean, min(value) AS low, max(value) AS high FROM reading',
  'filter and count':
    'SELECT count(*) AS n FROM reading WHERE station BETWEEN 20 AND 59 AND value > 20',
  'group by text':
    'SELECT kind, count(*) AS n, avg(value) AS mean FROM reading GROUP BY kind ORDER BY kind',
  'group by int':
    'SELECT station, count(*) AS n, sum(amount) AS total, max(value) AS high FROM reading GROUP BY station ORDER BY station',
  'group by day': byDay,
  'join and group':
    'SELECT s.region, count(*) AS n, sum(r.amount) AS total FROM reading r JOIN station s ON s.id = r.station GROUP BY s.region ORDER BY s.region',
  'top 20': 'SELECT id, station, value FROM reading ORDER BY value DESC, id LIMIT 20',
  'LIKE and group':
    "SELECT kind, count(*) AS n FROM reading WHERE note LIKE '%drift%' GROUP BY kind ORDER BY kind",
  'count distinct': 'SELECT count(DISTINCT amount) AS n FROM reading',
  'window over a station': `SELECT id, value, avg(value) OVER (PARTITION BY kind ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS mean
    FROM reading WHERE station = 7 ORDER BY id`,
};

const DAYS = { varve: "date_trunc('day', at)", sqlite: "strftime('%Y-%m-%d', at)" };

/** Pairs of name and SQL in a dialect, `varve` or `sqlite`. */
export function queriesOf(dialect) {
  return Object.entries(QUERIES).map(([name, sql]) => [
    name,
    typeof sql === 'string' ? sql : sql(DAYS[dialect]),
  ]);
}
