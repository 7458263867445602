//! PostgreSQL's regress tests: scripts for psql, and what `psql -a -q` printed.

mod expected;
mod judge;
mod run;
mod session;

pub use run::{Fixture, run, transcript};
