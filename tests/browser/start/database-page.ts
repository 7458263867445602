import type { Page } from 'playwright/test';
import type { Transaction, VarveDB } from 'varvedb';

/** What a call has answered: rows, or the fields of its error. */
export interface Outcome {
  readonly rows?: readonly Record<string, unknown>[];
  readonly code?: string;
  readonly kind?: string;
  readonly failure?: string;
  readonly message?: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** Options as they can be sent to a page. */
export interface SentOptions {
  /** The address of the second part, and in what form the page gives it on. */
  readonly rest?: readonly [address: string, form: 'address' | 'Response' | 'Module'];
  /** The address of the worker's script when it is on another origin. */
  readonly workerScript?: string;
}

/** What the page has. */
interface Scope {
  VarveDB: typeof VarveDB;
  db: VarveDB;
  outcomeOf(call: Promise<unknown>): Promise<Outcome>;
}

/** A page that has the package, and a database of it. */
export class DatabasePage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Goes to a page without scripts, and imports the package into it. */
  async load(url: string, address = `${new URL(url).origin}/index.js`): Promise<void> {
    await this.page.goto(url);
    await this.page.evaluate(async (from) => {
      (globalThis as unknown as Scope).VarveDB = (await import(from)).VarveDB;
    }, address);
    await this.#prepare();
  }

  /** Goes to an app that has the package, and shows it as a global. */
  async visit(url: string): Promise<void> {
    await this.page.goto(url);
    await this.page.waitForFunction(() => 'VarveDB' in globalThis);
    await this.#prepare();
  }

  #prepare(): Promise<void> {
    return this.page.evaluate(() => {
      (globalThis as unknown as Scope).outcomeOf = async (call) => {
        try {
          const answer = (await call) as Outcome | undefined;
          return { rows: answer?.rows ?? [] };
        } catch (error) {
          const { code, kind, failure, message, detail, hint } = error as Required<Outcome>;
          return { code, kind, failure, message, detail, hint };
        }
      };
    });
  }

  create(dataDir: string, options: SentOptions = {}): Promise<Outcome> {
    return this.page.evaluate(
      async ([place, { rest, workerScript }]) => {
        const scope = globalThis as unknown as Scope;
        const [address = '', form] = rest ?? [];
        const forms = {
          address: () => address,
          Response: () => fetch(address),
          Module: () => WebAssembly.compileStreaming(fetch(address)),
        };
        // As js/README.md has it.
        const worker = () => {
          const source = `import ${JSON.stringify(workerScript)};`;
          const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
          return new Worker(url, { type: 'module' });
        };
        const opened = scope.VarveDB.create(place, {
          restWasm: form && (await forms[form]()),
          worker: workerScript === undefined ? undefined : worker,
        });
        return scope.outcomeOf(
          opened.then((db) => {
            scope.db = db;
          }),
        );
      },
      [dataDir, options] as const,
    );
  }

  query(sql: string): Promise<Outcome> {
    return this.page.evaluate((text) => {
      const { db, outcomeOf } = globalThis as unknown as Scope;
      return outcomeOf(db.query(text));
    }, sql);
  }

  exec(sql: string): Promise<Outcome> {
    return this.page.evaluate((text) => {
      const { db, outcomeOf } = globalThis as unknown as Scope;
      return outcomeOf(db.exec(text));
    }, sql);
  }

  /** All ways to run a statement at once, in this order. */
  inEveryWay(sql: string): Promise<readonly Outcome[]> {
    return this.page.evaluate((text) => {
      const { db, outcomeOf } = globalThis as unknown as Scope;
      const calls = [
        db.query(text),
        db.exec(text),
        db.executeBatch([text]),
        db.transaction((tx) => tx.query(text)),
        db.execScript(text),
      ];
      return Promise.all(calls.map(outcomeOf));
    }, sql);
  }

  /** A transaction that runs `sql`, and then another statement until that is refused; it rejects then, or commits. */
  transactionUntilRefused(sql: string, then: 'rejects' | 'commits'): Promise<Outcome> {
    return this.page.evaluate(
      ([text, end]) => {
        const { db, outcomeOf } = globalThis as unknown as Scope;
        const run = async (tx: Transaction) => {
          await tx.query(text);
          try {
            for (;;) await tx.query('SELECT 1');
          } catch (error) {
            if (end === 'rejects') throw error;
          }
        };
        return outcomeOf(db.transaction(run));
      },
      [sql, then] as const,
    );
  }

  close(): Promise<void> {
    return this.page.evaluate(() => (globalThis as unknown as Scope).db.close());
  }

  preload(): Promise<Outcome> {
    return this.page.evaluate(() => {
      const { VarveDB: package_, outcomeOf } = globalThis as unknown as Scope;
      return outcomeOf(package_.preload());
    });
  }
}
