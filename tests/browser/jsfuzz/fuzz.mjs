import { VarveDB, VarveError } from './index.js';
import { pick, randomFrom, Thrown, wild } from './values.mjs';

/** A call that has not settled for so long never will. */
const SETTLED_MS_MAX = 60_000;
const PROBLEMS_MAX = 20;
/** Opening takes a worker, so it is tried less often. */
const OPENING_SHARE = 0.003;
/** The database is asked whether it answers after so many calls that could not have reached it. */
const ASKED_EVERY = 50;

const sql = [
  'SELECT 1',
  'SELECT $1',
  'SELECT $1::text, $2::jsonb',
  'SELECT $1::bytea',
  'SELECT $1::int[]',
  'SELECT $1::timestamptz',
  'INSERT INTO t (a) VALUES ($1)',
  "SELECT 'x', now(), NULL, ARRAY[1]",
  'SELEC',
  '',
];
const columns = [{ a: [1, 2] }, { a: Int32Array.of(1), b: ['x'] }, [{ a: [1] }, { a: [2] }], {}];

/** Sensible values of each argument of each entry, and the names of the options, which come last. */
const entries = {
  query: {
    given: [sql, [[], [1], ['x', {}], null]],
    options: ['rowMode', 'parsers', 'signal', 'onNotice'],
  },
  sql: { given: [[['SELECT 1'], ['SELECT ', '']], [1]] },
  exec: { given: [sql], options: ['rowMode', 'parsers', 'signal', 'onNotice'] },
  executeBatch: { given: [[['SELECT 1'], [], ['SELEC']]], options: ['signal'] },
  transaction: {
    given: [[(tx) => tx.query('SELECT 1'), () => 1, () => Promise.reject(new Thrown())]],
  },
  execScript: {
    given: [['SELECT 1', '\\echo x\n', 'COPY t FROM stdin;\n1\tx\n\\.\n']],
    options: ['signal', 'onNotice'],
  },
  copyFrom: {
    given: [
      ['t', 'T', '"t"', 'nope'],
      ['1,x\n', new Blob(['1,x\n'])],
    ],
    options: ['columns', 'header', 'delimiter', 'null', 'onProgress', 'signal'],
  },
  bulkLoad: {
    given: [['t', 'nope'], columns],
    options: ['autoId', 'batchRows', 'onProgress', 'signal'],
  },
  check: { given: [] },
};
const opening = {
  create: {
    given: [['memory://', undefined]],
    options: ['dataDir', 'wasm', 'worker', 'memoryLimit', 'durability', 'mustExist', 'parsers'],
  },
  destroy: { given: [['memory://', 'idb://jsfuzz-missing']], options: ['wasm', 'worker'] },
  repair: { given: [['memory://']], options: ['wasm', 'worker'] },
};

function options(random, names) {
  if (random() < 0.5) return pick(random, [undefined, {}, wild(random)]);
  return { [pick(random, names)]: wild(random) };
}

function argumentsOf(random, { given, options: names }) {
  const list = given.map((sensible) => (random() < 0.5 ? pick(random, sensible) : wild(random)));
  if (names !== undefined && random() < 0.7) list.push(options(random, names));
  if (random() < 0.05) list.length = Math.floor(random() * list.length);
  return list;
}

/** How a call ended: in words that say what is wrong, or nothing. */
async function ending(run) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, SETTLED_MS_MAX, { problem: 'has not settled' });
  });
  const settled = (async () => {
    try {
      return { value: await run() };
    } catch (error) {
      return { error };
    }
  })();
  const end = await Promise.race([settled, late]);
  clearTimeout(timer);
  return end;
}

const BROKEN = ['XX000', 'worker_died', 'closed'];

/** Whether an option is code of the caller, whose errors are the caller's whatever they are. */
function hasCallback(list) {
  try {
    return Object.values(list.at(-1)).some((value) => typeof value === 'function');
  } catch {
    return false;
  }
}

function problemOf({ problem, error }, name, list) {
  if (problem !== undefined || error === undefined) return problem;
  if (error instanceof Thrown) return undefined;
  if (error instanceof VarveError) {
    return BROKEN.includes(error.code)
      ? `${error.code}: ${error.message} ${error.detail ?? ''}`
      : undefined;
  }
  // What the callback gives is awaited for the caller, whatever it is.
  if (name === 'transaction' || hasCallback(list)) return undefined;
  return `rejected with ${Object.prototype.toString.call(error)} ${error?.stack ?? ''}`;
}

/** Everything that is called: the database, a transaction in it, and opening others. */
async function callOnce(random, db, wrapped) {
  if (random() < OPENING_SHARE) {
    const name = pick(random, Object.keys(opening));
    const list = argumentsOf(random, opening[name]);
    const end = await ending(async () => (await VarveDB[name](...list))?.close?.());
    return { name, list, end };
  }
  const name = pick(random, Object.keys(entries));
  const list = argumentsOf(random, entries[name]);
  const inside = ['query', 'sql', 'exec', 'executeBatch'].includes(name) && random() < 0.1;
  const run = inside
    ? () => db.transaction((tx) => tx[name](...list))
    : async () => wrapped[name](...list);
  return { name: inside ? `tx.${name}` : name, list, end: await ending(run) };
}

/** Whether the database answers as it must after a call. */
async function answers(db) {
  const { value } = await ending(() => db.query('SELECT 1 AS one'));
  return value?.rows[0]?.one === 1;
}

function shown(list) {
  return list.map((value) => {
    try {
      return `${typeof value} ${String(value).slice(0, 60)}`;
    } catch {
      return `${typeof value} that cannot be shown`;
    }
  });
}

async function open() {
  const db = await VarveDB.create('memory://');
  await db.exec('CREATE TABLE t (a int, b text)');
  return db;
}

/**
 * So many calls from a seed. `plant` makes of the database one with a fault, which is to be found. Gives how the calls
 * ended and what was wrong.
 */
globalThis.fuzz = async ({ seed, calls, plant }) => {
  const random = randomFrom(seed);
  const counts = { answered: 0, refused: 0, failed: 0 };
  const problems = [];
  let db = await open();
  for (let call = 0; call < calls && problems.length < PROBLEMS_MAX; call += 1) {
    const wrapped = plant === undefined ? db : faulty(db, plant);
    const { name, list, end } = await callOnce(random, db, wrapped);
    if (end.error?.code === 'invalid_argument') counts.refused += 1;
    else if ('value' in end) counts.answered += 1;
    else counts.failed += 1;
    const isAsked = end.error?.code !== 'invalid_argument' || call % ASKED_EVERY === 0;
    const found =
      problemOf(end, name, list) ??
      (isAsked && !(await answers(db)) ? 'the database does not answer' : undefined);
    if (found === undefined) continue;
    problems.push({ call, name, list: shown(list), found });
    void db.close();
    db = await open();
  }
  await db.close();
  return { ...counts, problems };
};

/** The database with a fault in one of its calls. */
function faulty(db, plant) {
  const faults = {
    // As it would be without a check of the text.
    'unchecked text': { exec: (text) => db.exec(text.trim()) },
    'a rejection of another kind': { bulkLoad: () => Promise.reject('no') },
  };
  return new Proxy(faults[plant], {
    get: (fault, name) => fault[name] ?? db[name].bind(db),
  });
}

globalThis.isLoaded = true;
