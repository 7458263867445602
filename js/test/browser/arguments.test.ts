import { VarveDB } from 'varvedb';
import { describe, expect, test } from 'vitest';
import { create, rejection } from './stores.js';

/** The calls of these tests are wrong on purpose. */
type Loose = Record<string, (...given: unknown[]) => Promise<unknown>>;

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = () =>
  new Proxy(
    {},
    {
      get() {
        throw new Error('trap');
      },
    },
  );

async function answers(db: VarveDB): Promise<void> {
  expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
}

test('what no call takes is refused by name, and the database answers on', async () => {
  const db = await create();
  await db.exec('CREATE TABLE t (a int)');
  const loose = db as unknown as Loose;
  const cases: readonly (readonly [call: string, given: readonly unknown[], named: string])[] = [
    ['query', [5], 'sql'],
    ['query', [null], 'sql'],
    ['query', [], 'sql'],
    ['query', [{ toString: () => 'SELECT 1' }], 'sql'],
    ['query', ['SELECT 1', {}], 'params'],
    ['query', ['SELECT 1', 'x'], 'params'],
    ['query', ['SELECT 1', new Array(70_000)], 'params'],
    ['query', ['SELECT 1', revoked()], 'params'],
    ['query', ['SELECT 1', [], 5], 'options'],
    ['query', ['SELECT 1', [], null], 'options'],
    ['query', ['SELECT 1', [], new Map()], 'options'],
    ['query', ['SELECT 1', [], Promise.resolve()], 'options'],
    ['query', ['SELECT 1', [], throwing()], 'options'],
    ['query', ['SELECT 1', [], revoked()], 'options'],
    ['query', ['SELECT 1', [], { rowmode: 'array' }], 'options'],
    ['query', ['SELECT 1', [], { rowMode: 'rows' }], 'rowMode'],
    ['query', ['SELECT 1', [], { parsers: { 23: 5 } }], 'parsers'],
    ['query', ['SELECT 1', [], { parsers: { int4: Number } }], 'parsers'],
    ['query', ['SELECT 1', [], { signal: {} }], 'signal'],
    ['query', ['SELECT 1', [], { signal: { aborted: false } }], 'signal'],
    ['query', ['SELECT 1', [], { onNotice: 'x' }], 'onNotice'],
    ['sql', ['SELECT 1'], 'sql'],
    ['exec', [{}], 'sql'],
    ['exec', ['SELECT 1', { signal: 1 }], 'signal'],
    ['executeBatch', ['SELECT 1'], 'statements'],
    ['executeBatch', [['SELECT 1', 5]], 'statements[1]'],
    ['executeBatch', [['SELECT 1'], { rowMode: 'array' }], 'options'],
    ['transaction', [5], 'run'],
    ['execScript', [5], 'text'],
    ['execScript', ['SELECT 1', { onNotice: 1 }], 'onNotice'],
    ['copyFrom', [5, '1'], 'table'],
    ['copyFrom', ['t', 5], 'source'],
    ['copyFrom', ['t', new Proxy(new Blob(), {})], 'source'],
    ['copyFrom', ['t', '1', { delimiter: ',,' }], 'delimiter'],
    ['copyFrom', ['t', '1', { columns: ['a', 5] }], 'columns'],
    ['copyFrom', ['t', '1', { header: 'yes' }], 'header'],
    ['copyFrom', ['t', new ReadableStream({ start: (c) => c.enqueue(5) })], 'source'],
    ['bulkLoad', [5, {}], 'table'],
    ['bulkLoad', ['t', 'x'], 'source'],
    ['bulkLoad', ['t', null], 'source'],
    ['bulkLoad', ['t', {}], 'source'],
    ['bulkLoad', ['t', { [Symbol.iterator]: 5 }], 'source'],
    ['bulkLoad', ['t', { [Symbol.iterator]: () => ({}) }], 'source'],
    ['bulkLoad', ['t', [revoked()]], 'source'],
    ['bulkLoad', ['t', [{ a: [1] }, { b: [1] }]], 'source'],
    ['bulkLoad', ['t', [[1], [2]]], 'source'],
    ['bulkLoad', ['t', [{ a: 1 }, { a: 2 }]], 'source.a'],
    ['bulkLoad', ['t', { a: 'abc' }], 'source.a'],
    ['bulkLoad', ['t', { a: [1] }, { batchRows: 0 }], 'batchRows'],
    ['bulkLoad', ['t', { a: [1] }, { batchRows: 1.5 }], 'batchRows'],
    ['bulkLoad', ['t', { a: [1] }, { autoId: 1 }], 'autoId'],
  ];
  for (const [call, given, named] of cases) {
    const error = await rejection((loose[call] as Loose[string]).apply(db, [...given]));
    expect(error, `${call} ${named}`).toMatchObject({
      name: 'VarveError',
      code: 'invalid_argument',
      kind: 'statement',
      message: expect.stringMatching(/ takes /),
    });
    expect((error as Error).message).toContain(`argument ${named}`);
  }
  await answers(db);
  expect((await db.query('SELECT * FROM t')).rows).toEqual([]);
});

test('what create, destroy and repair do not take is refused by name', async () => {
  const loose = VarveDB as unknown as Loose;
  const cases: readonly (readonly [call: string, given: readonly unknown[], named: string])[] = [
    ['create', [5], 'dataDir'],
    ['create', [null], 'dataDir'],
    ['create', [['memory://']], 'dataDir'],
    ['create', ['memory://', 5], 'options'],
    ['create', ['memory://', { memoryLimit: '64MB' }], 'memoryLimit'],
    ['create', [{ memoryLimit: Number.NaN }], 'memoryLimit'],
    ['create', [{ memoryLimit: -1 }], 'memoryLimit'],
    ['create', [{ memorylimit: 5 }], 'options'],
    ['create', [{ dataDir: 5 }], 'dataDir'],
    ['create', [{ mustExist: 'no' }], 'mustExist'],
    ['create', [{ wasm: 5 }], 'wasm'],
    ['create', [{ wasm: 'http://[' }], 'wasm'],
    ['create', [{ worker: 5 }], 'worker'],
    ['create', [{ worker: () => 5 }], 'worker'],
    ['create', ['memory://', { dataDir: 'idb://x' }], 'options.dataDir'],
    ['create', [{}, {}], 'options'],
    ['destroy', [5], 'dataDir'],
    ['destroy', ['x', { worker: 1 }], 'worker'],
    ['repair', [{}], 'dataDir'],
    ['repair', ['x', { memoryLimit: 1 }], 'options'],
  ];
  for (const [call, given, named] of cases) {
    const error = await rejection((loose[call] as Loose[string]).apply(VarveDB, [...given]));
    expect(error, `${call} ${named}`).toMatchObject({ code: 'invalid_argument' });
    expect((error as Error).message).toContain(`argument ${named}`);
  }
});

test('a parameter that says less than it holds is refused, and not stored as {}', async () => {
  const db = await create();
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const list: unknown[] = [];
  list.push(list);
  const gone = new Uint8Array([1, 2]);
  structuredClone(gone, { transfer: [gone.buffer] });
  class Hidden {
    readonly #secret = 1;
    get secret() {
      return this.#secret;
    }
  }
  const opaque = [
    new Map([[1, 2]]),
    new Set([1]),
    new Blob(['x']),
    Promise.resolve(1),
    /x/,
    new Error('x'),
    new Hidden(),
    Object('x'),
    Object(1),
    Symbol('x'),
    () => 1,
    cyclic,
    { big: 1n },
    list,
    [Symbol('x')],
    [new Map()],
    gone,
    gone.buffer,
    revoked(),
    throwing(),
    new Date(Number.NaN),
    { toJSON: () => undefined },
  ];
  for (const [index, value] of opaque.entries()) {
    const error = await rejection(db.query('SELECT $1::text AS v', [value]));
    expect(error, `value ${index}`).toMatchObject({ code: 'invalid_argument' });
    expect((error as Error).message).toContain('argument $1');
  }
  const blob = await rejection(db.query('SELECT $1::bytea', [new Blob(['x'])]));
  expect(blob).toMatchObject({ hint: expect.stringContaining('arrayBuffer()') });
  await answers(db);
});

test('a JavaScript array is JSON to json, and an array to an array', async () => {
  const db = await create();
  await db.exec('CREATE TABLE j (id int PRIMARY KEY, a jsonb, b json, c int[])');
  const lists = [[], [[]], [1, [2, 'x', null]], [{ a: [1] }], ['a"b', '\\'], [null], [true]];
  for (const [id, list] of lists.entries()) {
    await db.query('INSERT INTO j VALUES ($1, $2, $3, $4)', [id, list, list, [id, null]]);
  }
  const { rows } = await db.query('SELECT a, b, c FROM j ORDER BY id');
  expect(rows).toEqual(lists.map((list, id) => ({ a: list, b: list, c: [id, null] })));
  const typed = await db.query('SELECT $1::jsonb AS a, $2::text[] AS b', [[1], ['x', 'y']]);
  expect(typed.rows).toEqual([{ a: [1], b: ['x', 'y'] }]);
  const url = new URL('https://example.org/a');
  const both = await db.query('SELECT $1::text AS a, $1::text AS b, $2::jsonb AS c', [url, url]);
  expect(both.rows).toEqual([{ a: url.href, b: url.href, c: url.href }]);
});

test('buffers and views are bytes', async () => {
  const db = await create();
  const bytes = new Uint8Array([0, 1, 254, 255]);
  const forms = [
    bytes,
    bytes.buffer,
    new DataView(bytes.buffer),
    new Uint16Array(bytes.buffer),
    new Uint8ClampedArray(bytes),
    new Float32Array(bytes.buffer),
  ];
  for (const form of forms) {
    const { rows } = await db.query<{ v: Uint8Array }>('SELECT $1::bytea AS v', [form]);
    expect(rows[0]?.v).toEqual(bytes);
  }
  const part = new DataView(bytes.buffer, 1, 2);
  const { rows } = await db.query('SELECT $1::bytea AS v, $2::bytea[] AS l', [part, [part, null]]);
  expect(rows).toEqual([{ v: bytes.slice(1, 3), l: [bytes.slice(1, 3), null] }]);
});

test('text that UTF-8 cannot hold is refused before it is sent', async () => {
  const db = await create();
  await db.exec('CREATE TABLE t (a text)');
  for (const text of ['a\0b', '\ud800', 'x\udc00y']) {
    const calls = [
      db.query(`SELECT '${text}'`),
      db.query('SELECT $1::text', [text]),
      db.query('SELECT $1::text[]', [[text]]),
      db.exec(`SELECT '${text}'`),
      db.executeBatch([`SELECT '${text}'`]),
      db.execScript(`SELECT '${text}'`),
      db.copyFrom('t', text),
      db.copyFrom(text, 'x'),
      db.copyFrom('t', 'x', { null: text }),
      db.copyFrom('t', new ReadableStream({ start: (c) => c.enqueue(text) })),
      db.bulkLoad('t', { a: [text] }),
    ];
    for (const call of calls) expect(await rejection(call)).toMatchObject({ code: '22021' });
  }
  await answers(db);
});

describe('results', () => {
  test('a column may be called __proto__', async () => {
    const db = await create();
    const { rows } = await db.query('SELECT 1 AS a, \'{"x": 1}\'::json AS "__proto__", 2 AS b');
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual(['__proto__', 'a', 'b']);
    expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype);
    expect(Object.entries(rows[0] ?? {})).toContainEqual(['__proto__', { x: 1 }]);
    await db.exec('CREATE TABLE p ("__proto__" int)');
    const columns = JSON.parse('{ "__proto__": [1, 2] }');
    expect(await db.bulkLoad('p', columns)).toMatchObject({ rowCount: 2 });
  });

  test('moments in arrays are those of single values, whatever the settings are', async () => {
    const db = await create();
    const texts = [
      'infinity',
      '-infinity',
      '2024-02-29 12:34:56.789123',
      '0044-03-15 00:00:00 BC',
      '12345-01-02 03:04:05',
      '1969-12-31 23:59:59.9999',
    ];
    const settings = [
      'SELECT 1',
      "SET TimeZone = 'Asia/Kolkata'",
      "SET DateStyle = 'German'; SET bytea_output = 'escape'; SET extra_float_digits = -10",
    ];
    for (const setting of settings) {
      await db.exec(setting);
      for (const type of ['timestamptz', 'timestamp', 'date']) {
        const single = texts.map((text) => `'${text}'::${type}`);
        const names = single.map((value, index) => `${value} AS c${index}`);
        const { rows } = await db.query(`SELECT ARRAY[${single}] AS list, ${names}`);
        const { list, ...values } = rows[0] as { list: unknown[] };
        expect(list).toEqual(Object.values(values));
        expect(list.slice(0, 2)).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
        for (const moment of list.slice(2)) expect((moment as Date).getTime()).not.toBeNaN();
        const back = await db.query(`SELECT $1::${type}[] = $2::${type}[] AS same`, [list, list]);
        expect(back.rows).toEqual([{ same: true }]);
      }
      const { rows } = await db.query(
        "SELECT ARRAY['\\x00ff'::bytea] AS b, ARRAY[0.1::float8] AS f",
      );
      expect(rows).toEqual([{ b: [new Uint8Array([0, 255])], f: [0.1] }]);
    }
  });

  test('a notice keeps what more there is to say, an error the beginning of its text', async () => {
    const db = await create();
    const notices: unknown[] = [];
    await db.exec(
      "DO $$ BEGIN RAISE NOTICE 'm' USING DETAIL = 'why', HINT = 'do', ERRCODE = 'U0001'; END $$",
      { onNotice: (notice) => notices.push(notice) },
    );
    const notice = { severity: 'NOTICE', code: 'U0001', message: 'm', detail: 'why', hint: 'do' };
    expect(notices).toEqual([notice]);
    const error = await rejection(db.query(`SELECT '${'x'.repeat(10_000)}', nope`));
    expect(error).toMatchObject({ code: '42703' });
    const { query, snippet } = error as { query: string; snippet: () => string };
    expect(query.length).toBe(4096);
    expect(snippet.call(error)).toMatch(/nope\n +\^$/);
  });
});

test('a script runs alone: no transaction begins in the middle of it', async () => {
  const db = await create();
  await db.exec('CREATE TABLE t (x int)');
  const script = db.execScript(
    'BEGIN;\nCOPY t FROM stdin;\n1\n\\.\n\\echo half\nINSERT INTO t VALUES (2);\nCOMMIT;',
  );
  const sum = db.transaction(async (tx) => (await tx.query('SELECT count(*) AS n FROM t')).rows);
  await script;
  expect(await sum).toEqual([{ n: 2 }]);
});
