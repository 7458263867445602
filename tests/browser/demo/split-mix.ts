const WORD = 64;
const GOLDEN = 0x9e3779b97f4a7c15n;
const MIX_1 = 0xbf58476d1ce4e5b9n;
const MIX_2 = 0x94d049bb133111ebn;

/** SplitMix64: the same numbers from the same seed on every machine. */
export class SplitMix {
  #state: bigint;

  constructor(seed: number) {
    this.#state = BigInt(seed);
  }

  next(): bigint {
    this.#state = BigInt.asUintN(WORD, this.#state + GOLDEN);
    let z = this.#state;
    z = BigInt.asUintN(WORD, (z ^ (z >> 30n)) * MIX_1);
    z = BigInt.asUintN(WORD, (z ^ (z >> 27n)) * MIX_2);
    return z ^ (z >> 31n);
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Number((this.next() * BigInt(limit)) >> 64n);
  }

  /** A number from 0 up to 1. */
  unit(): number {
    return Number(this.next() >> 11n) * 2 ** -53;
  }

  /** One of the values, by weights that add up to 100. */
  pick<T>(choices: readonly (readonly [T, number])[]): T {
    let left = this.below(100);
    for (const [value, weight] of choices) {
      if (left < weight) return value;
      left -= weight;
    }
    throw new Error('the weights do not add up to 100');
  }
}
