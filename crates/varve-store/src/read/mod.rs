//! Reading a tree as one transaction sees it: its runs, the memtable, and its own writes.
//!
//! # Scans
//!
//! A scan (`scan.rs`) goes through the tree's runs, the memtables and the transaction's own writes.
//! `run_cursor.rs` leaves out runs and groups by key range and statistics (`prune.rs`), then
//! vectors by zone map. Then it evaluates the conditions vector by vector on encoded columns, takes
//! deleted rows out, and decodes the other columns only where rows are left. `count(*)` over a
//! whole table reads no page at all. Where only sums and extremes are wanted, vectors of which all
//! rows count are not read either: their zone maps tell them (`known.rs`).
//!
//! Sources of a table hold different rows, so an unordered scan reads one after the other. Ordered
//! scans, and all scans of indexes, merge overlapping sources by key (`merge.rs`). Of equal keys of
//! an index the newest entry counts, and hides the others. Its age is its commit, told by the entry
//! column, or by the manifest for runs that a transaction spilled. Tests of included columns wait
//! until it is known which entry counts.
//!
//! Of content-addressed columns a run has references. They are resolved when it is known which rows
//! are wanted (`run_content.rs`, `resolve.rs`).
//!
//! # Pages
//!
//! Values that are not in the page cache are fetched in one `get_many`, checked against their
//! checksums once, and kept as stored (`pages.rs`, `cache/pages.rs`). What is made of them on the
//! way is kept by group in a second cache (`cache/groups.rs`): parsed indexes, shared parts, bytes
//! before a general stage, keys of vectors.
//!
//! # Point reads
//!
//! `Transaction::lookup` of one key, `get` and `get_now` take the same path. `get_now` never waits,
//! the others wait only for pages.
//!
//! 1. The row cache (`cache/rows.rs`) answers for every snapshot whose version has the run, unless
//!    the row is deleted as of the snapshot or in the transaction. No commit drops entries.
//! 2. Memory: own writes, then the memtables.
//! 3. Runs, the newest first (`locate.rs`): the key range of the run, then of its groups, then the
//!    group's filter, then its index. Only of the one vector that is left are the key columns
//!    decoded. Pages that are not at hand are noted and read in one call, for up to 16 groups of
//!    any runs, and the search goes on. Many keys are searched together, sorted: the insert of a
//!    batch reads filters only, unless one answers maybe.
//! 4. `gather.rs` takes the wanted columns of the row without decoding the vector. A vector from
//!    which rows are gathered a second time is kept decoded. Then the row goes to the row cache.

mod cutoff;
mod gather;
mod known;
mod locate;
mod merge;
mod pages;
mod part;
mod prune;
mod resolve;
mod run_content;
mod run_cursor;
mod scan;
mod table_cursor;
mod vectors;
mod view;

pub(crate) use pages::PageSource;
pub(crate) use resolve::Unresolved;
pub(crate) use run_content::{no_references, reference_position};
pub(crate) use run_cursor::{missing_column, ordinal, position_column, run_position};
pub use scan::TreeScan;
pub(crate) use vectors::{group_vectors, number_at};
pub(crate) use view::{RunView, View};
