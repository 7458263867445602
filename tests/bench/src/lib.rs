//! Data sets with known generators, readers of data that others wrote, the codecs measured against
//! their peers, and the tables and charts of `docs/benchmarks`.
//!
//! Invariant: a data set and its encoded bytes are the same natively and as wasm; both print
//! hashes. Invariant: nothing that ships depends on this crate, so peers may be anything.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "the data is our own and bounded; what cannot be must stop the run and say where"
)]

#[cfg(not(target_arch = "wasm32"))]
pub mod codecs;
#[cfg(not(target_arch = "wasm32"))]
pub mod command;
#[cfg(not(target_arch = "wasm32"))]
pub mod corpora;
pub mod generate;
#[cfg(not(target_arch = "wasm32"))]
pub mod measure;
#[cfg(not(target_arch = "wasm32"))]
mod named;
pub mod ours;
#[cfg(not(target_arch = "wasm32"))]
pub mod peers;
pub mod random;
#[cfg(not(target_arch = "wasm32"))]
pub mod report;
pub mod set;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
