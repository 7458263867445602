// VarveDB on IndexedDB: inside the worker that holds the engine, or through the package as a page uses it.

import { EngineStore } from './js/engine-store.js';
import { VarveDB } from './js/index.js';
import { readResults } from './js/result.js';

const NAME = 'bench';
const CREATE = `CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY, ts BIGINT NOT NULL,
  customer_id INT NOT NULL, status TEXT NOT NULL, region TEXT NOT NULL, email TEXT NOT NULL,
  price DOUBLE PRECISION NOT NULL, note TEXT)`;
const INSERT = 'INSERT INTO orders VALUES ($1, $2, $3, $4, $5, $6, $7, $8)';

/** What both ways share; `query` runs one statement and answers its result. */
class Varve {
  durabilities = ['strict', 'relaxed'];

  async setDurability(durability) {
    await this.query(`SET varve.durability = '${durability}'`);
  }

  insert(order) {
    return this.query(INSERT, order);
  }

  async insertBatch(orders) {
    await this.query('BEGIN');
    for (const order of orders) await this.query(INSERT, order);
    await this.query('COMMIT');
  }

  async lookup(id) {
    return (await this.query('SELECT price FROM orders WHERE id = $1', [id])).rows[0]?.price;
  }

  async range(from, to) {
    const select = 'SELECT id, price FROM orders WHERE id BETWEEN $1 AND $2 ORDER BY id';
    return (await this.query(select, [from, to])).rows.length;
  }

  async updateBatch(ids, price) {
    await this.query('BEGIN');
    for (const id of ids)
      await this.query('UPDATE orders SET price = $1 WHERE id = $2', [price, id]);
    await this.query('COMMIT');
  }

  async deleteRange(from, to) {
    const sql = 'DELETE FROM orders WHERE id BETWEEN $1 AND $2';
    return (await this.query(sql, [from, to])).affectedRows;
  }

  async count() {
    return Number((await this.query('SELECT count(*) AS n FROM orders')).rows[0].n);
  }
}

/** Calls the engine in this very worker: what the store itself costs. */
export class VarveInside extends Varve {
  #store;
  #calls = 0;

  static async create() {
    const engine = new VarveInside();
    await engine.open();
    await engine.query(CREATE);
    return engine;
  }

  async open() {
    this.#store = await EngineStore.open({
      name: NAME,
      durability: 'relaxed',
      mustExist: false,
      // Held until the worker ends, so each open needs another.
      aliveLock: `${NAME}-${crypto.randomUUID()}`,
    });
  }

  close() {
    return this.#store.close();
  }

  async query(sql, params = []) {
    this.#calls += 1;
    return readResults(await this.#store.query(this.#calls, sql, params), {})[0];
  }

  /** Through the package, since that is how columns reach an engine. */
  async load(columns) {
    await this.close();
    const page = await VarveFromPage.create();
    await page.load(columns);
    await page.close();
    await this.open();
  }
}

/** Through the package. */
export class VarveFromPage extends Varve {
  #db;

  static async create() {
    const engine = new VarveFromPage();
    await engine.open();
    await engine.query(CREATE);
    return engine;
  }

  async open() {
    this.#db = await VarveDB.create(`idb://${NAME}`);
  }

  close() {
    return this.#db.close();
  }

  query(sql, params = []) {
    return this.#db.query(sql, params);
  }

  async load(columns) {
    await this.#db.bulkLoad('orders', columns);
  }
}
