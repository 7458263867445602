/** The file of the engine's second part: what a page must know to find it beside the first one. */
export const REST_FILE = 'varve_rest_bg.wasm';
/** The file of what makes frames of zstd. */
export const ZSTD_FILE = 'varve_zstd_bg.wasm';
