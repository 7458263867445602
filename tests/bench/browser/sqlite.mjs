// The official SQLite build on OPFS, through the VFS that it recommends where no other tab shares the file.

import sqlite3InitModule from './sqlite/index.mjs';

const CREATE = `CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL,
  customer_id INTEGER NOT NULL, status TEXT NOT NULL, region TEXT NOT NULL, email TEXT NOT NULL,
  price REAL NOT NULL, note TEXT)`;
const SYNCHRONOUS = { strict: 'FULL', relaxed: 'OFF' };

export class SqliteWasm {
  durabilities = ['strict', 'relaxed'];
  #pool;
  #db;
  #statements = new Map();

  static async create() {
    const engine = new SqliteWasm();
    const sqlite3 = await sqlite3InitModule({ print: () => {}, printErr: () => {} });
    engine.#pool = await sqlite3.installOpfsSAHPoolVfs({ clearOnInit: true });
    await engine.open();
    engine.#db.exec(CREATE);
    return engine;
  }

  async open() {
    this.#db = new this.#pool.OpfsSAHPoolDb('/orders.sqlite');
    this.#db.exec('PRAGMA cache_size = -65536; PRAGMA synchronous = FULL;');
  }

  async close() {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.#db.close();
  }

  #prepared(sql) {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql, values) {
    this.#prepared(sql).bind(values).stepReset();
  }

  #insert(values) {
    this.#run('INSERT INTO orders VALUES (?,?,?,?,?,?,?,?)', values);
  }

  async load(columns) {
    const names = Object.keys(columns);
    this.#db.exec('BEGIN');
    for (let row = 0; row < columns.id.length; row += 1) {
      this.#insert(
        names.map((name) => {
          const value = columns[name][row];
          return typeof value === 'bigint' ? Number(value) : value;
        }),
      );
    }
    this.#db.exec('COMMIT');
  }

  async setDurability(durability) {
    this.#db.exec(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}`);
  }

  async insert(order) {
    this.#insert(order);
  }

  async insertBatch(orders) {
    this.#db.exec('BEGIN');
    for (const order of orders) this.#insert(order);
    this.#db.exec('COMMIT');
  }

  async lookup(id) {
    const statement = this.#prepared('SELECT price FROM orders WHERE id = ?');
    statement.bind([id]);
    const price = statement.step() ? statement.getFloat(0) : undefined;
    statement.reset();
    return price;
  }

  async range(from, to) {
    const statement = this.#prepared(
      'SELECT id, price FROM orders WHERE id BETWEEN ? AND ? ORDER BY id',
    );
    statement.bind([from, to]);
    let rows = 0;
    while (statement.step()) {
      statement.getFloat(1);
      rows += 1;
    }
    statement.reset();
    return rows;
  }

  async updateBatch(ids, price) {
    this.#db.exec('BEGIN');
    for (const id of ids) this.#run('UPDATE orders SET price = ? WHERE id = ?', [price, id]);
    this.#db.exec('COMMIT');
  }

  async deleteRange(from, to) {
    this.#run('DELETE FROM orders WHERE id BETWEEN ? AND ?', [from, to]);
    return this.#db.changes();
  }

  async count() {
    return this.#db.selectValue('SELECT count(*) FROM orders');
  }
}
