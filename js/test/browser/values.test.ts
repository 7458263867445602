import { float64Array, types } from 'varvedb';
import { expect, test } from 'vitest';
import { create } from './stores.js';

test('values keep their type there and back', async () => {
  const db = await create();
  await db.exec(`CREATE TABLE v (id int PRIMARY KEY, b boolean, i int, l bigint, f float8, t text,
    d date, ts timestamp, tz timestamptz)`);
  const d = new Date('2013-01-31');
  const tz = new Date('2013-01-31T23:59:59.123Z');
  const given = [
    [1, true, -2147483648, 9007199254740993n, 0.1, 'a \u{1F600} "b"', d, '2013-01-31 23:59', tz],
    [2, false, 2147483647, -5, Number.NaN, '', '0001-01-01', '1969-12-31 23:59:59.999', tz],
    [3, 't', '7', '-9223372036854775808', Number.POSITIVE_INFINITY, '\ufeff', d, tz, tz],
    [4, ...Array(8).fill(null)],
    [5, ...Array(8).fill(undefined)],
  ];
  const insert = 'INSERT INTO v VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)';
  for (const params of given) await db.query(insert, params);
  const { rows, fields } = await db.query('SELECT * FROM v ORDER BY id', [], { rowMode: 'array' });
  const { INT4, BOOL, INT8, FLOAT8, TEXT, DATE, TIMESTAMP, TIMESTAMPTZ } = types;
  const oids = [INT4, BOOL, INT4, INT8, FLOAT8, TEXT, DATE, TIMESTAMP, TIMESTAMPTZ];
  expect(fields.map(({ dataTypeID }) => dataTypeID)).toEqual(oids);
  const first = new Date('0001-01-01T00:00:00Z');
  // Written as UTC and read as local time, as in PGlite.
  const shifted = new Date(2013, 0, 31, 23, 59, 59, 123);
  expect(rows).toEqual([
    [
      1,
      true,
      -2147483648,
      9007199254740993n,
      0.1,
      'a \u{1F600} "b"',
      d,
      new Date(2013, 0, 31, 23, 59),
      tz,
    ],
    [2, false, 2147483647, -5, Number.NaN, '', first, new Date(1969, 11, 31, 23, 59, 59, 999), tz],
    [3, true, 7, -9223372036854775808n, Number.POSITIVE_INFINITY, '\ufeff', d, shifted, tz],
    [4, ...Array(8).fill(null)],
    [5, ...Array(8).fill(null)],
  ]);
});

test('labels of enums and names of the catalog are text', async () => {
  const db = await create();
  await db.exec("CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TABLE person (mood mood)");
  const { rows: changed } = await db.query('INSERT INTO person VALUES ($1) RETURNING mood', [
    'happy',
  ]);
  expect(changed).toEqual([{ mood: 'happy' }]);
  const { rows } = await db.query(
    "SELECT mood, array[mood] AS moods, 'person'::regclass AS name FROM person",
  );
  expect(rows).toEqual([{ mood: 'happy', moods: '{happy}', name: 'person' }]);
});

test('a count is a number, a bigint that is not exact as one stays a bigint, a sum of them is text', async () => {
  const db = await create();
  await db.exec('CREATE TABLE n (x bigint); INSERT INTO n VALUES (9007199254740991), (2)');
  const { rows } = await db.query('SELECT count(*) AS n, max(x) + 2 AS b, sum(x) AS s FROM n');
  expect(rows).toEqual([{ n: 2, b: 9007199254740993n, s: '9007199254740993' }]);
});

test('parsers get the text that PostgreSQL prints', async () => {
  const db = await create();
  const keep = (text: string) => text;
  const parsers = Object.fromEntries(Object.values(types).map((oid) => [oid, keep]));
  const sql = `SELECT true AS b, 1 AS i, 2::bigint AS l, 1e20::float8 AS f, 'x' AS t,
    '2013-01-31'::date AS d, '2013-01-31 01:02:03.5'::timestamp AS ts,
    '2013-01-31 01:02:03+01'::timestamptz AS tz`;
  const { rows } = await db.query(sql, [], { parsers });
  expect(rows).toEqual([
    {
      b: 't',
      i: '1',
      l: '2',
      f: '1e+20',
      t: 'x',
      d: '2013-01-31',
      ts: '2013-01-31 01:02:03.5',
      tz: '2013-01-31 00:02:03+00',
    },
  ]);
});

test('arrays of doubles go and come as typed arrays', async () => {
  const db = await create();
  await db.exec('CREATE TABLE t (id int PRIMARY KEY, metrics float8[], small float4[], raw bytea)');
  const metrics = Float64Array.of(1.5, -0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324);
  const small = Float32Array.of(0.5, -2);
  await db.query('INSERT INTO t VALUES (1, $1, $2, $3)', [metrics, small, Float64Array.of(1)]);
  const parsers = { [types.FLOAT8_ARRAY]: float64Array, [types.FLOAT4_ARRAY]: float64Array };
  const { rows } = await db.query('SELECT metrics, small, raw FROM t', [], { parsers });
  const bytes = new Uint8Array(Float64Array.of(1).buffer);
  expect(rows).toEqual([{ metrics, small: Float64Array.of(0.5, -2), raw: bytes }]);
  const plain = await db.query('SELECT small FROM t WHERE metrics = $1', [metrics]);
  expect(plain.rows).toEqual([{ small: [0.5, -2] }]);
  const holes = db.query('SELECT ARRAY[1.5::float8, NULL]', [], { parsers });
  await expect(holes).rejects.toThrow('NULL');
});
