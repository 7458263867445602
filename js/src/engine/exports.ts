import { VarveError } from '../errors.js';
import type { Result } from '../protocol.js';
import { fetchSecondPart } from '../second-part.js';
import type { Engine, EngineExport } from '../varve.js';

/** The exports under way of an open store. */
export class Exports {
  readonly #engine: Engine;
  readonly #underWay = new Map<number, EngineExport>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async begin(id: number, since: Uint8Array | undefined): Promise<Result<'exportBegin'>> {
    // It is in the second part.
    await fetchSecondPart();
    const begun = await this.#engine.export(since);
    this.#underWay.set(id, begun);
    return { export: id, contents: begun.contents() };
  }

  read(number: number): Promise<Result<'exportRead'>> {
    const found = this.#underWay.get(number);
    if (found !== undefined) return found.read();
    throw new VarveError({ code: '55000', message: 'the export has ended' });
  }

  /** Gives back what the export holds fast; nothing happens when it has ended. */
  end(number: number): void {
    this.#underWay.get(number)?.free();
    this.#underWay.delete(number);
  }

  endAll(): void {
    for (const number of [...this.#underWay.keys()]) this.end(number);
  }
}
