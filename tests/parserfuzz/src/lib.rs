//! Fuzzing of the parsers: statements of the corpora, cut short and changed, are parsed and bound.
//! Each must be taken or refused within a number of looks at tokens that grows with its length.
//!
//! Invariant: a seed gives the same texts as long as the corpora are the same.

#![allow(
    missing_docs,
    clippy::indexing_slicing,
    reason = "a test program stops when its own parts are broken"
)]

pub mod check;
pub mod mutate;
pub mod run;
pub mod statements;
