//! The zstd encoder and trainer as a wasm module beside the core one, which only decodes. It is
//! loaded when a table asks for zstd, runs in a worker of its own, and knows bytes only: no tables,
//! no storage.
//!
//! Invariant: exports take `&self`, and none waits.
//! Invariant: equal calls give equal bytes, whatever was called before.

#[cfg(target_arch = "wasm32")]
mod coder;

#[cfg(target_arch = "wasm32")]
pub use coder::{Frames, ZstdCoder, version};
