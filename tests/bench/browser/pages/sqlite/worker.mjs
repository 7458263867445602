// SQLite on OPFS, through the VFS that it recommends where no other tab shares the file.

import sqlite3InitModule from '../package/index.mjs';

let db;
const statements = new Map();

function prepared(sql) {
  let statement = statements.get(sql);
  if (!statement) {
    statement = db.prepare(sql);
    statements.set(sql, statement);
  }
  return statement;
}

/** Rows of a statement, as objects. */
function rowsOf(statement) {
  const rows = [];
  while (statement.step()) rows.push(statement.get({}));
  return rows;
}

const CALLS = {
  async open() {
    const sqlite3 = await sqlite3InitModule({ print: () => {}, printErr: () => {} });
    const pool = await sqlite3.installOpfsSAHPoolVfs();
    db = new pool.OpfsSAHPoolDb('/pages.sqlite');
    // What a crash of the machine may lose is the same as with VarveDB's default in browsers.
    db.exec('PRAGMA cache_size = -65536; PRAGMA synchronous = OFF;');
  },
  query(sql, params) {
    const statement = prepared(sql);
    try {
      if (params.length > 0) statement.bind(params);
      return { rows: rowsOf(statement) };
    } finally {
      statement.reset();
    }
  },
  exec(sql) {
    db.exec(sql);
  },
  insert(table, columns) {
    const values = Object.values(columns);
    const statement = prepared(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(',')})`);
    for (let row = 0; row < values[0].length; row += 1) {
      const ofRow = values.map((column) =>
        typeof column[row] === 'bigint' ? Number(column[row]) : column[row],
      );
      statement.bind(ofRow).stepReset();
    }
  },
};

addEventListener('message', async ({ data: { call, name, args } }) => {
  try {
    postMessage({ call, answer: await CALLS[name](...args) });
  } catch (error) {
    postMessage({ call, message: error.message });
  }
});
