//! The key-value contract on which the store is written: ordered binary keys, whole values, one
//! atomic batch at a time. It knows nothing of tables, formats or any backend; beside the trait
//! live a memory backend, a wrapper that injects faults, and the suite that every backend passes.
//!
//! Invariant: no call hands out an open transaction; each call is one whole transaction.
//! Invariant: a commit is all or nothing, whatever error it answers.
//! Invariant: every backend orders keys by unsigned bytes, a prefix before what it begins.

mod batch;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
pub mod fault;
mod kv;
mod memory;
mod range;
mod setting;
mod state;

pub use batch::{Durability, Guard, GuardOutcome, Write, WriteBatch};
pub use error::KvError;
pub use kv::{Bytes, Entry, Key, Kv, LARGE_VALUE_BYTES, LocalFuture, ReadResult};
pub use memory::MemoryKv;
pub use range::{Direction, KeyRange, Scan, ScanLimit};
pub use setting::{KvSetting, KvSettingValue};
