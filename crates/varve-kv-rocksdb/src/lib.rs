//! The key-value contract over RocksDB, for native builds. It knows nothing of what keys and values
//! mean, and compresses nothing, because the pages that it is given are encoded already.
//!
//! Invariant: one process holds a store at a time, by RocksDB's own lock.
//! Invariant: commits are carried out one at a time, so that nothing comes between a guard's check
//! and its batch.

mod convert;
mod options;
mod rocks_kv;

pub use options::RocksOptions;
pub use rocks_kv::RocksKv;
