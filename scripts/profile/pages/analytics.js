// A dashboard over a table of events: columns loaded in bulk, then scans, groups, windows and sorts.

const ROWS = 60_000;

export async function run(VarveDB) {
  const db = await VarveDB.create('idb://analytics');
  await db.exec(
    `CREATE TABLE event (id bigint PRIMARY KEY, at timestamp NOT NULL, kind text, station integer, value double precision,
                         amount numeric(10, 2), note text);
     CREATE TABLE station (id integer PRIMARY KEY, name text, region text)`,
  );
  const kinds = ['view', 'click', 'buy', 'leave'];
  const index = Array.from({ length: ROWS }, (_, i) => i);
  await db.bulkLoad('event', {
    id: BigInt64Array.from(index, BigInt),
    at: index.map((i) => new Date(1.7e12 + i * 61_000)),
    kind: index.map((i) => kinds[(i * 7) % 4]),
    station: Int32Array.from(index, (i) => i % 50),
    value: Float64Array.from(index, (i) => Math.sin(i / 100) * 40),
    amount: index.map((i) => (i % 997) / 100),
    note: index.map((i) => (i % 3 ? `note ${i % 1000}` : null)),
  });
  const stations = Array.from({ length: 50 }, (_, i) => `${i},Station ${i},R${i % 5}`);
  await db.copyFrom('station', stations.join('\n'));
  await db.exec('CREATE INDEX event_kind ON event (kind, at); ANALYZE event');
  for (const sql of QUERIES) await db.query(sql);
  await db.query('SELECT kind, avg(value) FROM event WHERE at >= $1 AND at < $2 GROUP BY kind', [
    new Date(1.7e12),
    new Date(1.7e12 + 864e5),
  ]);
  await db.exec('DELETE FROM event WHERE id % 10 = 3');
  for (const sql of QUERIES) await db.query(sql);
  await db.exec('VACUUM');
  await db.query('SELECT count(*), sum(value) FROM event');
  await db.close();

  const again = await VarveDB.create('idb://analytics');
  await again.query('SELECT * FROM event WHERE id = $1', [77]);
  for (const sql of QUERIES) await again.query(sql);
  await again.close();
}

const QUERIES = [
  'SELECT count(*), sum(value), avg(value), min(value), max(value) FROM event',
  "SELECT count(*) FROM event WHERE kind = 'buy' AND value > 10",
  'SELECT kind, count(*), sum(amount), avg(value) FROM event GROUP BY kind ORDER BY kind',
  'SELECT station, max(value) - min(value) AS span FROM event GROUP BY station ORDER BY span DESC LIMIT 10',
  "SELECT date_trunc('day', at) AS day, count(*), count(DISTINCT station) FROM event GROUP BY day ORDER BY day",
  'SELECT s.region, e.kind, sum(e.amount) FROM event e JOIN station s ON s.id = e.station GROUP BY s.region, e.kind ORDER BY 1, 2',
  'SELECT * FROM event ORDER BY value DESC, id LIMIT 20',
  "SELECT id, value, lag(value) OVER (PARTITION BY station ORDER BY at) AS before, row_number() OVER (ORDER BY value) FROM event WHERE station < 3 AND kind IN ('view', 'click')",
  "SELECT note, count(*) FROM event WHERE note LIKE 'note 1%' GROUP BY note HAVING count(*) > 10 ORDER BY count(*) DESC, note LIMIT 5",
  'SELECT extract(hour FROM at) AS hour, avg(value), stddev(value) FROM event GROUP BY hour ORDER BY hour',
  'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM event',
  "SELECT CASE WHEN value < 0 THEN 'cold' WHEN value < 20 THEN 'mild' ELSE 'hot' END AS class, count(*) FROM event GROUP BY 1",
  'SELECT id, at, kind FROM event WHERE id BETWEEN 1000 AND 1100',
  'SELECT round(value::numeric, 1) AS v, count(*) FROM event GROUP BY v ORDER BY 2 DESC, 1 LIMIT 3',
  "SELECT station, string_agg(DISTINCT kind, ',' ORDER BY kind) FROM event GROUP BY station ORDER BY station LIMIT 3",
  'SELECT e.id FROM event e WHERE e.value > (SELECT avg(value) FROM event) ORDER BY e.id LIMIT 5',
  'SELECT kind FROM event UNION SELECT region FROM station ORDER BY 1',
];
