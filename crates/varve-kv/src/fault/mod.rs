//! A wrapper around any backend that fails, delays, fills up, closes and crashes on demand, all
//! under one seed. It knows nothing of why its caller wants a fault; tests and the simulation
//! decide that.
//!
//! Invariant: the same seed, plan and calls give the same faults.
//! Invariant: whatever is injected, the promises on [`Kv`](crate::Kv) still hold.

mod crash;
mod plan;
mod wrapper;

#[cfg(test)]
mod tests;

pub use crash::CrashReport;
pub use plan::{CallFault, FaultPlan, SplitMix64};
pub use wrapper::FaultKv;
