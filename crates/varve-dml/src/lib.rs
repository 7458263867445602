//! Changes of rows: INSERT, UPDATE, DELETE and MERGE over plans and the store. A [`Writer`] checks
//! what a table promises of its rows and keeps it so: defaults, generated columns, checks, unique
//! indexes, foreign keys, triggers, and the partitions that rows belong to.
//!
//! Invariant: the rows of a statement are complete before it writes the first one, so no scan sees
//! its own writes. Invariant: a [`StatementTxn`] is committed or rolled back by the session that
//! began it. Invariant: what is checked at the end of a transaction is in its [`Deferred`].
//!
//! # How rows are written
//!
//! 1. [`Writer::run_insert`] and its like fire the triggers of the statement and read its rows
//!    through a [`StatementRunner`], which is the session. A function of a trigger runs statements
//!    in turn, so this crate and the one of routines meet at [`StatementRunner`] and [`Trigger`].
//! 2. Rows get defaults and generated columns, pass the triggers before them and the checks, and
//!    go to their partition (`write/route.rs`).
//! 3. The writer gives them to the store, adds the entries of their indexes (`write/index.rs`),
//!    and notes what foreign keys and triggers have to look at.
//! 4. [`Writer::settle`] looks at that, from a list and not by recursion, until nothing is left.

mod read;
mod write;

pub use read::before::Before;
pub use read::rows::{chosen, positions_of, values_of};
pub use read::source::{SystemViews, TransactionSource};
pub use write::deferred::{Constraint, Deferred};
pub use write::runner::{RowPair, StatementRunner, Timing, Trigger};
pub use write::statement::Changed;
pub use write::statement_txn::StatementTxn;
pub use write::writer::{Left, Writer, cannot_build, cannot_build_key, name_constraint};
pub use write::{chunks, index, notes, route, table_rows};
