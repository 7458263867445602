//! The key-value contract over RocksDB, for native builds. It knows nothing of what keys and values
//! mean, and compresses nothing, because the pages that it is given are encoded already.
//!
//! Invariant: one process holds a store at a time, by a lock on one of its files.
//! Invariant: what was acknowledged is there, or open says that it is not, before RocksDB changes a
//! file; a folder that is not a store's is left as it is.
//! Invariant: commits are carried out one at a time, so that nothing comes between a guard's check
//! and its batch.

mod convert;
mod files;
mod marker;
mod open;
mod options;
mod promise;
mod rebuild;
mod reclaim;
mod rocks_kv;
mod salvage;
mod space;
mod verify;

pub use options::RocksOptions;
pub use rebuild::Rebuilt;
pub use rocks_kv::RocksKv;
pub use salvage::{Damage, SalvagedKv};
