//! The suite of `varve-kv` and a handle to play with, as a module that `tests/browser/kv.test.mjs`
//! loads into a browser.

#[cfg(target_arch = "wasm32")]
mod suite;
