// The maintained fork of wa-sqlite on OPFS, through its write-ahead VFS.

import createModule from './wa/dist/wa-sqlite.mjs';
import { OPFSWriteAheadVFS } from './wa/src/examples/OPFSWriteAheadVFS.js';
import * as SQLite from './wa/src/sqlite-api.js';

const CREATE = `CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL,
  customer_id INTEGER NOT NULL, status TEXT NOT NULL, region TEXT NOT NULL, email TEXT NOT NULL,
  price REAL NOT NULL, note TEXT)`;
const SYNCHRONOUS = { strict: 'FULL', relaxed: 'NORMAL' };

export class WaSqlite {
  durabilities = ['strict', 'relaxed'];
  #api;
  #db;
  #statements = new Map();

  static async create() {
    const engine = new WaSqlite();
    const module = await createModule();
    engine.#api = SQLite.Factory(module);
    engine.#api.vfs_register(await OPFSWriteAheadVFS.create('opfs', module), true);
    await engine.open();
    await engine.#exec(CREATE);
    return engine;
  }

  async open() {
    this.#db = await this.#api.open_v2('orders-wa.sqlite');
    await this.#exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536; PRAGMA synchronous = FULL;',
    );
  }

  async close() {
    for (const { statements } of this.#statements.values()) await statements.return();
    this.#statements.clear();
    await this.#api.close(this.#db);
  }

  #exec(sql) {
    return this.#api.exec(this.#db, sql);
  }

  /** The statement stays prepared while its generator is not finished. */
  async #prepared(sql) {
    let prepared = this.#statements.get(sql);
    if (!prepared) {
      const statements = this.#api.statements(this.#db, sql);
      const { value } = await statements.next();
      prepared = { statements, statement: value };
      this.#statements.set(sql, prepared);
    }
    return prepared.statement;
  }

  async #run(sql, values, onRow) {
    const statement = await this.#prepared(sql);
    this.#api.bind_collection(statement, values);
    let rows = 0;
    while ((await this.#api.step(statement)) === SQLite.SQLITE_ROW) {
      onRow?.(statement);
      rows += 1;
    }
    await this.#api.reset(statement);
    return rows;
  }

  insert(order) {
    return this.#run('INSERT INTO orders VALUES (?,?,?,?,?,?,?,?)', order);
  }

  async load(columns) {
    const names = Object.keys(columns);
    await this.#exec('BEGIN');
    for (let row = 0; row < columns.id.length; row += 1) {
      const values = names.map((name) => columns[name][row]);
      await this.insert(values.map((value) => (typeof value === 'bigint' ? Number(value) : value)));
    }
    await this.#exec('COMMIT');
  }

  setDurability(durability) {
    return this.#exec(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}`);
  }

  async insertBatch(orders) {
    await this.#exec('BEGIN');
    for (const order of orders) await this.insert(order);
    await this.#exec('COMMIT');
  }

  async lookup(id) {
    let price;
    await this.#run('SELECT price FROM orders WHERE id = ?', [id], (statement) => {
      price = this.#api.column_double(statement, 0);
    });
    return price;
  }

  range(from, to) {
    const select = 'SELECT id, price FROM orders WHERE id BETWEEN ? AND ? ORDER BY id';
    return this.#run(select, [from, to], (statement) => this.#api.column_double(statement, 1));
  }

  async updateBatch(ids, price) {
    await this.#exec('BEGIN');
    for (const id of ids) await this.#run('UPDATE orders SET price = ? WHERE id = ?', [price, id]);
    await this.#exec('COMMIT');
  }

  async deleteRange(from, to) {
    await this.#run('DELETE FROM orders WHERE id BETWEEN ? AND ?', [from, to]);
    return this.#api.changes(this.#db);
  }

  async count() {
    let count;
    await this.#run('SELECT count(*) FROM orders', [], (statement) => {
      count = this.#api.column_int(statement, 0);
    });
    return count;
  }
}
