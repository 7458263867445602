//! The key-value contract over IndexedDB, and encryption by WebCrypto; on other targets than wasm
//! the crate is empty. It knows nothing of what keys and values mean; every oddity of a browser is
//! explained where it is handled.
//!
//! Invariant: all requests of a transaction are issued in one synchronous burst or from the handler
//! of one of its own requests, never after an await: IndexedDB ends a transaction in which nothing
//! is pending.
//! Invariant: a commit is done when its transaction's `complete` event says so, never at a
//! request's `success`.
//! Invariant: what an operation needs while it runs is held by its own handlers, so dropping its
//! future changes nothing.
//! Invariant: there is one object store, created once; IndexedDB's versions are never used.

#[cfg(target_arch = "wasm32")]
mod commit;
#[cfg(target_arch = "wasm32")]
mod connection;
#[cfg(target_arch = "wasm32")]
mod convert;
#[cfg(target_arch = "wasm32")]
mod failure;
#[cfg(target_arch = "wasm32")]
mod idb_kv;
#[cfg(target_arch = "wasm32")]
mod read;
#[cfg(target_arch = "wasm32")]
mod scan;
#[cfg(target_arch = "wasm32")]
mod signal;
#[cfg(target_arch = "wasm32")]
mod web_crypto;

#[cfg(target_arch = "wasm32")]
pub use idb_kv::IdbKv;
#[cfg(target_arch = "wasm32")]
pub use web_crypto::WebCrypto;
