//! Whether what is stored is what was written, and getting back what can be.

mod check;
mod inspect;
mod repair;
mod report;
mod salvage;

pub use report::{CheckReport, Problem, RepairReport, RunRepair};
