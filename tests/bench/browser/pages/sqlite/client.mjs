// SQLite as a page uses it: its files in OPFS can be reached from a worker only, which answers by messages.

export class SqliteInWorker {
  #worker = new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
  #waiting = new Map();
  #calls = 0;

  static async create() {
    const client = new SqliteInWorker();
    client.#worker.onmessage = ({ data }) => client.#answered(data);
    client.#worker.onerror = ({ message }) => client.#failed(new Error(message));
    await client.#call('open');
    return client;
  }

  query(sql, params = []) {
    return this.#call('query', sql, params);
  }

  exec(sql) {
    return this.#call('exec', sql);
  }

  /** `source` is columns, or a list of such. */
  async bulkLoad(table, source) {
    await this.#call('exec', 'BEGIN');
    for (const columns of [source].flat()) await this.#call('insert', table, columns);
    await this.#call('exec', 'COMMIT');
  }

  #call(name, ...args) {
    this.#calls += 1;
    const call = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#worker.postMessage({ call, name, args });
    });
  }

  #answered({ call, answer, message }) {
    const { resolve, reject } = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (message === undefined) resolve(answer);
    else reject(new Error(message));
  }

  #failed(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
