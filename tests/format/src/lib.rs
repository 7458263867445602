//! The golden bytes of run, manifest and log as wasm code writes them, as text.
//! `tests/format.test.mjs` calls them in Node and compares them with `tests/format`.
//!
//! Invariant: nothing depends on this crate.

#[cfg(target_arch = "wasm32")]
mod exports;
