//! Differential fuzzing of queries: random tables and random queries over them, whose answers are
//! known by other ways. SQLancer's: a condition cuts rows into three parts (TLP), it may be counted
//! by WHERE or by the select list (NoREC), a row for which conditions are known to hold must be
//! found (PQS). Ours: keys, indexes, CHECKPOINT and the order of rows change no answer. And
//! PostgreSQL's, where a server is at hand.
//!
//! Invariant: a seed gives the same tables and cases as long as the engine has the same functions.
//! Invariant: an answer counts as equal only if it is, or if it differs in a way that
//! [`compare::Difference`] names.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    reason = "a test program stops when its own parts are broken, and measures by the real clock"
)]

pub mod answer;
pub mod arguments;
pub mod ast;
pub mod chance;
pub mod compare;
pub mod engine;
pub mod functions;
pub mod generate;
pub mod literals;
pub mod oracle;
pub mod pivot;
pub mod postgres;
pub mod reduce;
pub mod report;
pub mod run;
pub mod stage;
pub mod types;
pub mod world;
mod write;
