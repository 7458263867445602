//! What the tests of zstd frames share, and the list of hashes that holds the encoder and the
//! trainer to the same bytes on every machine. As a wasm module it makes the same list, which
//! `tests/zstd.test.mjs` compares with `golden.txt`, as `tests/golden.rs` does natively.
//!
//! Invariant: nothing depends on this crate.
//! Invariant: equal calls give equal data on every target.

mod corpus;
#[cfg(target_arch = "wasm32")]
mod exports;
mod hashes;

pub use corpus::{Kind, Random, json_row};
pub use hashes::{hashes, trained};
