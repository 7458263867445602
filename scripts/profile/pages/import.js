// An import of CSV with all usual types, and what a user does with it next.

export async function run(VarveDB) {
  const db = await VarveDB.create('idb://import');
  await db.exec(
    `CREATE TABLE weather (station text NOT NULL, day date NOT NULL, temp real, rain numeric(6, 1), wind integer,
                           sunny boolean, seen timestamptz, PRIMARY KEY (station, day));
     CREATE TABLE journal (station text, note text)`,
  );
  const lines = ['station,day,temp,rain,wind,sunny,seen'];
  for (let i = 0; i < 30_000; i++) {
    const day = new Date(Date.UTC(2000, 0, 1 + Math.floor(i / 20))).toISOString().slice(0, 10);
    const name = i % 20 === 7 ? '"Berg, ""oben"""' : `Station ${i % 20}`;
    lines.push(
      `${name},${day},${(i % 400) / 10 - 5},${i % 7 ? (i % 90) / 10 : ''},${i % 30},${i % 2 ? 't' : 'f'},${day} 06:00+00`,
    );
  }
  const csv = new Blob([lines.join('\n')]);
  await db.copyFrom('weather', csv, { header: true, onProgress: () => undefined });
  await db
    .copyFrom('weather', 'X,2001-02-30', { columns: ['station', 'day'] })
    .catch(() => undefined);
  await db.query(
    'SELECT station, max(temp), sum(rain) FROM weather GROUP BY station ORDER BY station',
  );
  await db.query(
    "SELECT * FROM weather WHERE station = 'Station 3' AND day >= '2003-01-01' LIMIT 100",
  );
  await db.query(
    'SELECT extract(year FROM day) AS year, avg(temp) FROM weather GROUP BY year ORDER BY year',
  );
  await db.query('UPDATE weather SET temp = temp + 0.1 WHERE wind = 5');
  await db.query("DELETE FROM weather WHERE day < '2000-02-01'");
  await db.query("INSERT INTO weather VALUES ('New', '2026-01-01', 1.5, NULL, 3, true, now())");
  await db.query('INSERT INTO journal SELECT DISTINCT station, $1 FROM weather', ['imported']);
  await db.query('SELECT * FROM journal WHERE station = $1', ['Station 3']);
  await db.exec('VACUUM');
  await db.query('SELECT count(*) FROM weather WHERE sunny AND rain IS NULL');
  await db.close();

  const again = await VarveDB.create('idb://import');
  await again.query("SELECT * FROM weather WHERE station = 'Station 3' AND day = '2003-01-01'");
  await again.query('SELECT count(*), max(temp) FROM weather');
  await again.close();
}
