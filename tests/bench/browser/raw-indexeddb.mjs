// IndexedDB without anything on top: what one put and one get cost. A row is stored as an object under its id.

const NAMES = ['id', 'ts', 'customer_id', 'status', 'region', 'email', 'price', 'note'];

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const rowOf = (values) => Object.fromEntries(NAMES.map((name, at) => [name, values[at]]));

export class RawIndexedDb {
  durabilities = ['strict', 'relaxed'];
  #db;
  #durability = 'strict';

  static async create() {
    const engine = new RawIndexedDb();
    await engine.open();
    return engine;
  }

  async open() {
    const request = indexedDB.open('orders-raw', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('orders');
    this.#db = await done(request);
  }

  async close() {
    this.#db.close();
  }

  /** One transaction; done when it is complete. */
  #write(work) {
    const transaction = this.#db.transaction('orders', 'readwrite', {
      durability: this.#durability,
    });
    work(transaction.objectStore('orders'));
    transaction.commit();
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  }

  async setDurability(durability) {
    this.#durability = durability;
  }

  async load(columns) {
    const rows = columns.id.length;
    const rowAt = (row) =>
      rowOf(
        NAMES.map((name) => {
          const value = columns[name][row];
          return typeof value === 'bigint' ? Number(value) : value;
        }),
      );
    for (let start = 0; start < rows; start += 10_000) {
      await this.#write((store) => {
        for (let row = start; row < Math.min(start + 10_000, rows); row += 1)
          store.put(rowAt(row), row + 1);
      });
    }
  }

  insert(order) {
    return this.#write((store) => store.put(rowOf(order), order[0]));
  }

  insertBatch(orders) {
    return this.#write((store) => {
      for (const order of orders) store.put(rowOf(order), order[0]);
    });
  }

  #store() {
    return this.#db.transaction('orders', 'readonly').objectStore('orders');
  }

  async lookup(id) {
    return (await done(this.#store().get(id)))?.price;
  }

  async range(from, to) {
    return (await done(this.#store().getAll(IDBKeyRange.bound(from, to)))).length;
  }

  async updateBatch(ids, price) {
    const store = this.#db
      .transaction('orders', 'readwrite', { durability: this.#durability })
      .objectStore('orders');
    await Promise.all(
      ids.map(async (id) => {
        const row = await done(store.get(id));
        await done(store.put({ ...row, price }, id));
      }),
    );
  }

  async deleteRange(from, to) {
    const count = await done(this.#store().count(IDBKeyRange.bound(from, to)));
    await this.#write((store) => store.delete(IDBKeyRange.bound(from, to)));
    return count;
  }

  count() {
    return done(this.#store().count());
  }
}
