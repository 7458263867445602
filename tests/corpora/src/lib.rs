//! Runs the test corpora of other databases (SQLite's sqllogictest, PostgreSQL's regress tests, the
//! logic tests of DuckDB, RisingWave, RisingLight, DataFusion, CockroachDB and GlueSQL, and query
//! sets with known answers) against VarveDB, and groups what fails by its cause.
//!
//! Invariant: a record is counted once, however often it runs; it passes if it passes each time.
//! Invariant: a panic or a hang of the engine is the failure of the record that met it; the records
//! behind it meet a new database.
//! Invariant: what is skipped is named in `skips.toml` with its reason.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    reason = "a test program stops when its own parts are broken, and measures by the real clock"
)]

pub mod archive;
pub mod arguments;
pub mod causes;
pub mod classify;
pub mod engine;
pub mod family;
pub mod glob;
pub mod peer;
pub mod psql;
pub mod record;
pub mod regress;
pub mod report;
pub mod run;
pub mod server_files;
pub mod sets;
pub mod skips;
pub mod slt;
