//! VarveDB's facade and one API boundary: a [`Database`] over a key-value store, [`Session`]s that
//! run SQL in it. It joins planner, executor and store, checks what a table promises of its rows,
//! and knows neither the backend beneath nor the language above.
//!
//! Invariant: a statement that fails leaves no trace: on its own it is rolled back, in a
//! transaction block it fails the block.
//! Invariant: the rows of a statement are complete before it writes the first one, so no scan sees
//! its own writes. Invariant: a store transaction is committed or rolled back by the session that
//! began it, never left to a drop.
//!
//! # How a statement runs
//!
//! 1. The text is looked up in the plan cache (`shared/statements.rs`): 256 texts, shared by all
//!    sessions. A plan names the tables that it was bound to, with their versions, and holds as
//!    long as those and the settings that decide what a literal is are the same. So DDL on one
//!    table leaves the plans of others. Where there is no plan, the syntax trees of 512 texts are
//!    kept too. Texts that differ in literals which a plan can take as parameters have one entry,
//!    by their shape (`varve-parser/src/shape.rs`).
//! 2. The session begins a store transaction: a snapshot, which pins runs, deletion vectors,
//!    memtables and catalog. `varve-ddl` decodes the catalog, unless this state is known already.
//! 3. A lookup, constant rows, and expressions over one of these are computed at once
//!    (`session/rows/direct.rs`). All other plans go to `varve-exec`, which reads through
//!    `varve-dml`'s `TransactionSource`.
//! 4. `varve-dml` changes rows. The session is its `StatementRunner`: it reads the rows of plans,
//!    and gives triggers, whose functions `varve-routine` runs through the session's
//!    `RoutineSession`. `varve-ddl` changes definitions, and knows the session as `DdlSession`;
//!    `varve-copy` reads and writes what COPY carries.
//! 5. A statement outside a transaction block is a transaction of its own, and is run again, up to
//!    8 times, when its commit fails with `40001`.
//! 6. The batches of a result are collected under the memory limit (`session/rows/collected.rs`),
//!    or handed out as they come ([`Session::stream`]).

#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, reason = "test values are small")
)]

mod bulk_load;
mod database;
mod dump;
mod encryption;
mod export;
mod host;
mod integrity;
mod jobs;
mod large_objects;
mod schedule;
mod session;
mod shared;
#[cfg(not(target_arch = "wasm32"))]
mod system_env;
#[cfg(not(target_arch = "wasm32"))]
mod threads;
#[cfg(not(target_arch = "wasm32"))]
mod timer;
mod transparent;
mod zstd_values;

#[cfg(test)]
mod tests;

pub use bulk_load::BulkLoad;
pub use database::Database;
pub use dump::{DumpOptions, DumpSink};
pub use export::Import;
pub use integrity::{CheckReport, Problem, RepairReport, TableRepair};
pub use large_objects::{LargeObject, LargeObjectReader, LargeObjectWriter};
pub use session::{BatchError, RowStream, Session};
pub use shared::cancel::CancelFlag;
pub use shared::options::Options;
pub use shared::phases::{Phase, Tracer};
pub use shared::prepared::Prepared;
pub use shared::result_set::ResultSet;
#[cfg(not(target_arch = "wasm32"))]
pub use system_env::SystemEnv;
pub use varve_codec::{CodecError, ZstdDictionary, ZstdEncoder, ZstdEncoders, ZstdFraming};
pub use varve_copy::CopyData;
pub use varve_expr::{DEFAULT_LOCALE, Locale, cast_value, format_value, parse_value, write_cell};
pub use varve_kv_encrypted::{Encryption, EncryptionKey};
pub use varve_settings::{Durability, read_bytes};
pub use varve_store::{
    BulkLoadOptions, BulkLoadReport, Export, JobId, JobInfo, JobRunner, JobState, KnownContents,
    ZstdSource, backend_failure,
};
pub use varve_system_views::Field;
pub use varve_types::Notice;
