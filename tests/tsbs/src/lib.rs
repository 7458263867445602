//! The Time Series Benchmark Suite: hosts that report their processor (DevOps), trucks that report
//! where they are (IoT), and what is asked of them, as SQL and as loops over the rows.
//!
//! Invariant: the answers of a reference come from the generated rows and know no engine.
//! Invariant: an answer is the same whatever the order of its sums, within 1e-9 of a figure.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the data is our own and bounded; what cannot be must stop the run and say where"
)]

pub mod answer;
pub mod data_set;
pub mod devops;
pub mod dialect;
pub mod engine;
pub mod iot;
mod mean;
pub mod window;
