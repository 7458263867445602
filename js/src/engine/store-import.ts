import type { Engine, EngineImport } from '../varve.js';

/** A store that is made of exports. Its calls must not overlap. */
export class StoreImport<Store> {
  readonly #import: EngineImport;
  readonly #release: () => void;
  readonly #opened: (engine: Engine) => Store;

  constructor(begun: EngineImport, release: () => void, opened: (engine: Engine) => Store) {
    this.#import = begun;
    this.#release = release;
    this.#opened = opened;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#import.write(bytes);
  }

  /** Ends the import, and opens the store. */
  async finish(): Promise<Store> {
    return this.#opened(await this.#import.finish());
  }

  async abort(): Promise<void> {
    try {
      await this.#import.abort();
    } finally {
      this.#import.free();
      this.#release();
    }
  }
}
