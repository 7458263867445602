//! The real store on a faulty key-value store, all under one seed and in one thread, against a
//! model: crashes in every call in turn, lost suffixes of relaxed commits, full storage, lost
//! answers, closed connections, dropped futures, a second opener. It knows what a store promises,
//! not how it keeps it.
//!
//! Invariant: the same seed and scenario repeat a run call by call.
//! Invariant: a run fails only where a promise of the store is broken, whatever is injected.
//!
//! The store runs on `FaultKv` over `MemoryKv`. An executor picks the next task at random; `Env`
//! gives clock and chance of the same seed. Writers, loads, readers that hold snapshots, flushes
//! and compactions work at once, under bounds so small that every few commits flush or spill. Some
//! trees keep texts content-addressed, or compressed one by one by a dictionary. Every
//! transaction that writes adds its token to a journal tree, so a snapshot tells by itself which
//! transactions it includes. The ledger knows which ones it may and must include, and what all rows
//! of all trees then are.
//!
//! | scenario | in turn |
//! |---|---|
//! | `crash` | the process dies in each KV call, which is carried out or not; recoveries crash too |
//! | `fault` | each call fails, loses its answer or its connection, or finds the storage full |
//! | `full` | the quota ends at each write |
//! | `drop` | each task is dropped after each of its polls |
//! | `fence` | a second handle is opened, beside faults |
//!
//! After each, the store is opened again. Every commit that was promised is there as a whole, and
//! nothing else is; the check of the store finds nothing; no record is stored that manifest,
//! intents or log do not account for; work goes on from there.
//!
//! `cargo run --release -p varve-sim -- --seeds 0..100 [--scenario NAME] [--trace]` prints crash
//! points, and of a failure the seed and the trace of its run. Seeds that failed once are in
//! `tests/regressions.txt`. Planted bugs (`faults.rs`: a deletion lost in a compaction, a skipped
//! sweep, an ignored guard) must be found.

mod actors;
mod chance;
mod check;
mod data;
mod env;
mod executor;
mod failure;
mod faults;
mod frames;
mod index;
mod ledger;
mod model;
mod round;
mod scenario;
mod world;

pub use failure::Failure;
pub use faults::Bug;
pub use scenario::{Report, Scenario, run};
