//! Vectorised operators, one a file, that run a plan of `varve-plan` batch by batch. It reaches
//! tables and temporary space by its own traits [`ScanSource`] and [`Scratch`] only, and knows
//! nothing of storage or SQL text.
//!
//! Invariant: it waits only in [`ScanSource`], in [`Scratch`] and at yield points, which lie at
//! most a slice of work apart.
//! Invariant: no stream gives an empty batch, or one of more than 1,024 rows.
//! Invariant: what operators hold is booked on the query's account and given back, with all
//! temporary space, when the stream is dropped, wherever it stopped.
//! Invariant: the same plan over the same rows gives the same rows in the same order: hashing has a
//! fixed seed and never decides an order.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "test values are small"
    )
)]

mod aggregate;
mod chunked;
mod context;
mod cut;
mod execute;
mod gather;
mod join;
mod keys;
mod operators;
mod portion;
mod profile;
mod repeated;
mod shared_rows;
mod sort;
mod source;
#[cfg(test)]
mod testing;
mod window;

pub use context::ExecContext;
pub use execute::{execute, execute_instrumented};
pub use operators::tests_of;
pub use profile::{NodeProfile, Profile};
pub use source::{BatchStream, ScanSource, Scratch, ScratchTicket};
