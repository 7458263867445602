//! The real store on a faulty key-value store, all under one seed and in one thread, against a
//! model: crashes in every call in turn, lost suffixes of relaxed commits, full storage, lost
//! answers, closed connections, dropped futures, a second opener. It knows what a store promises,
//! not how it keeps it.
//!
//! Invariant: the same seed and scenario repeat a run call by call.
//! Invariant: a run fails only where a promise of the store is broken, whatever is injected.

mod actors;
mod chance;
mod check;
mod data;
mod env;
mod executor;
mod failure;
mod faults;
mod index;
mod ledger;
mod model;
mod round;
mod scenario;
mod world;

pub use failure::Failure;
pub use faults::Bug;
pub use scenario::{Report, Scenario, run};
