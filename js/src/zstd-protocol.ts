import type { ErrorFields } from './errors.js';

/** How contents are compressed. */
export interface ZstdOptions {
  /** 1 to 19. */
  readonly level: number;
  /** A trained dictionary, or any bytes that the contents have in common. */
  readonly dictionary?: Uint8Array | undefined;
  /** Without magic, content size, dictionary id and checksum: not readable by the `zstd` tool. */
  readonly compact?: boolean | undefined;
}

/** Pieces one after another, and the length of each. */
export interface Pieces {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lengths: Uint32Array<ArrayBuffer>;
}

/** Every request to the worker, with what it takes and gives. */
export interface ZstdRequests {
  compress: { args: { contents: Pieces; options: ZstdOptions }; result: Pieces };
  train: { args: { samples: Pieces; bytesMax: number }; result: Uint8Array<ArrayBuffer> };
}

export type ZstdRequestName = keyof ZstdRequests;
export type ZstdResult = ZstdRequests[ZstdRequestName]['result'];

/** What the client posts. */
export type ZstdRequest = {
  [K in ZstdRequestName]: {
    readonly id: number;
    readonly name: K;
    readonly args: ZstdRequests[K]['args'];
  };
}[ZstdRequestName];

/** What the worker posts: one answer to each request. */
export type ZstdResponse =
  | { readonly id: number; readonly result: ZstdResult }
  | { readonly id: number; readonly error: ErrorFields };
