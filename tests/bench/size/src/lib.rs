//! All that `varve-codec` offers to the engine as exports of a wasm module, so that nothing of it
//! is left out of the binary. It is built to be weighed, not to be called.
//!
//! Invariant: nothing depends on this crate.

#[cfg(target_arch = "wasm32")]
mod exports;
