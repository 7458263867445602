//! Definitions as a transaction has them: the store's objects, which [`CatalogCache`] reads as a
//! catalog. [`Sequences`] hands out the values of those that are sequences.
//!
//! Invariant: a crash leaves a gap in the values of a sequence, and never repeats one.

mod catalog_cache;
mod sequences;

pub use catalog_cache::CatalogCache;
pub use sequences::{Sequences, create_state as create_sequence_state};
