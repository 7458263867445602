// Readings of sensors: appended in batches, read by time, bucketed, the last ones first.

const DEVICES = 12;

export async function run(VarveDB) {
  const db = await VarveDB.create('idb://series');
  await db.exec(
    `CREATE TABLE reading (time timestamptz NOT NULL, device text NOT NULL, temperature double precision, humidity double precision,
                           battery smallint, status jsonb, PRIMARY KEY (device, time));
     CREATE TABLE event (time timestamptz NOT NULL DEFAULT now(), note text)`,
  );
  await db.query("INSERT INTO event (note) VALUES ('started'), ('calibrated') RETURNING time");
  const late = db.transaction(async (tx) => {
    await tx.query("INSERT INTO event (note) VALUES ('late')");
    throw new Error('too late');
  });
  await late.catch(() => undefined);
  let time = Date.UTC(2026, 0, 1);
  for (let batch = 0; batch < 60; batch++) {
    await db.transaction(async (tx) => {
      for (let device = 0; device < DEVICES; device++) {
        await tx.query('INSERT INTO reading VALUES ($1, $2, $3, $4, $5, $6)', [
          new Date(time),
          `device-${device}`,
          20 + Math.sin(batch / 10) * 5,
          50 + device,
          100 - batch,
          { ok: batch % 9 > 0 },
        ]);
      }
    });
    time += 60_000;
  }
  await db.query(
    `INSERT INTO reading (time, device, temperature) SELECT t, 'device-' || d, random() * 30
     FROM generate_series('2025-12-01'::timestamptz, '2025-12-20'::timestamptz, interval '10 minutes') AS t,
          generate_series(0, 5) AS d`,
  );
  for (const sql of QUERIES) await db.query(sql);
  await db.query(
    'SELECT * FROM reading WHERE device = $1 AND time > $2 ORDER BY time DESC LIMIT 1',
    ['device-3', new Date(Date.UTC(2026, 0, 1))],
  );
  await db.query("DELETE FROM reading WHERE time < '2025-12-05'");
  await db.exec('VACUUM');
  for (const sql of QUERIES) await db.query(sql);
  await db.query('SELECT time, note FROM event ORDER BY time DESC LIMIT 10');
  await db.close();

  const again = await VarveDB.create('idb://series');
  for (const sql of QUERIES) await again.query(sql);
  await again.query("INSERT INTO event (note) VALUES ('reopened')");
  await again.close();
}

const QUERIES = [
  `SELECT time_bucket('1 hour', time) AS hour, device, avg(temperature), max(humidity) FROM reading
   WHERE device IN ('device-1', 'device-2') GROUP BY hour, device ORDER BY hour DESC LIMIT 24`,
  `SELECT DISTINCT ON (device) device, time, temperature FROM reading ORDER BY device, time DESC`,
  `SELECT device, count(*), last(temperature, time), first(temperature, time) FROM reading GROUP BY device`,
  `SELECT date_trunc('day', time) AS day, avg(temperature) FROM reading WHERE time >= '2025-12-10' GROUP BY 1 ORDER BY 1`,
  `SELECT time, temperature, avg(temperature) OVER (ORDER BY time ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS smooth
   FROM reading WHERE device = 'device-4' ORDER BY time LIMIT 100`,
  `SELECT count(*) FROM reading WHERE NOT (status->>'ok')::boolean`,
  `SELECT min(time), max(time), age(max(time), min(time)) FROM reading`,
];
