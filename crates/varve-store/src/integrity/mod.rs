//! Whether what is stored is what was written, and getting back what can be.

mod check;
mod inspect;
mod repair;
mod report;
mod salvage;
#[cfg(feature = "inspect")]
mod strays;

pub use report::{CheckReport, Problem, RepairReport, RunRepair};
