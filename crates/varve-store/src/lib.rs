//! The store: trees of rows in columnar runs over a key-value store, with log, memtable, manifest,
//! snapshots, transactions, flush and background jobs. It knows tree schemas and encoded catalog
//! objects, never SQL, and never which backend keeps its values.
//!
//! Invariant: a change becomes visible by one atomic `Kv::commit`; what is written before it is
//! listed by an intent, which open sweeps.
//! Invariant: a run never changes; what was deleted in it is in its deletion vector.
//! Invariant: equal inputs and settings give equal bytes on every target.
//! Invariant: no lock is held across an await.
//! Invariant: keys hold ids and counters, never user data.
//!
//! # How a commit travels
//!
//! The heads of the modules tell each step in full.
//!
//! 1. A statement adds its rows to the transaction's private write set (`write_set`), and notes the
//!    rows that it deletes by their place. A write set that passes half a memtable spills to runs
//!    that only an intent lists.
//! 2. COMMIT queues a request. Whoever holds the commit lock leads: it commits for all who wait
//!    (`transaction/group.rs`).
//! 3. The leader validates each transaction against what was committed since its snapshot
//!    (`transaction/validate.rs`). That never waits for I/O.
//! 4. The log records of the group go into one `Kv::commit`, guarded by the epoch (`store/log.rs`).
//! 5. The same changes are applied in memory: rows to the memtable, deletions beside their runs.
//!    New snapshots see them from then on. Nothing can fail here.
//! 6. A full memtable is frozen, and a flush writes it as runs (`flush/`).
//! 7. Compaction merges runs and gives the space of deleted rows back (`compaction/`).
//! 8. Open (`open`) replaces the epoch, reads manifest, catalog, run heads, deletion vectors
//!    and log, deletes the pages of every intent that was not published, and replays the log into
//!    the memtable (`open/replay.rs`). It reads no data pages.
//!
//! # Deletion vectors
//!
//! A row has one place. DELETE and UPDATE note the old row as (run, ordinal, commit) and put the
//! new version in the memtable. So a scan of a table never looks for versions by key, and its cost
//! depends on what changed among its rows only. What is deleted in a run is its deletion vector.
//!
//! - Deletions since the last flush keep their commit (`run/recent_deletions.rs`). A snapshot
//!   leaves out those that are newer than it. A flush folds them into the run's bitmap
//!   (`format/deletion_vector.rs`), an immutable value under a new key for every version. Older
//!   snapshots keep the state of the run that they pinned.
//! - A flush writes the newest version of each row. Older snapshots read the memtable that they
//!   pinned.
//! - At commit, `RunTrace::row_now` says where a row of the transaction is by now: first from the
//!   memtable to the run that it was flushed to, then through the forward map of each compaction. A
//!   row that a forward map does not have was dead before, which is a conflict. Maps live as long
//!   as somebody holds the run or memtable that they lead from. They are never stored: a compaction
//!   that did not publish is done again, and after an open there are no older transactions.
//! - Replay skips a deletion in a run that the manifest does not list if it is not newer than the
//!   manifest's `deletions_through`: the commit that removed the run took the deletion along. A
//!   newer one is corruption.
//! - An answer from statistics alone subtracts the deleted rows, or is not given.
//!
//! `tests/deletion_vectors.rs` has a test by the name of each rule.
//!
//! # Partitions
//!
//! A tree may keep rows apart by a column (`partition.rs`): then no run that is written has rows of
//! two partitions, and runs that were written before are cut. Where a run lies follows from its
//! head, so that a partition is dropped without reading it: its rows are noted as deleted
//! (`transaction/delete_range.rs`), and a run without a living row leaves the manifest
//! (`compaction/retire.rs`).
//!
//! # Where to read
//!
//! | question | module |
//! |---|---|
//! | what a transaction may do, how it commits | `transaction` |
//! | what it has written: savepoints, row locks | `write_set` |
//! | what all parts of an open store share | `store` |
//! | how scans and lookups find rows | `read`, `cache` |
//! | how entries of indexes are written and kept unique | `transaction/index.rs`, `unique.rs` |
//! | how columns are loaded without a log | `bulk_load` |
//! | how large values are stored once | `content` |
//! | how a store becomes one stream, and a stream a store | `export` |
//! | what lies under which key | `format` |
//! | which work is done in the background, and when | `jobs` |
//! | which rows and runs belong together | `partition` |
//! | what a check finds and a repair keeps | `integrity` |
//! | what can go wrong, and what a caller does about it | `error` |

mod bulk_load;
mod cache;
mod catalog;
mod compaction;
mod content;
mod content_tree;
mod durability;
mod error;
mod export;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
mod flush;
mod format;
mod ids;
mod integrity;
mod jobs;
mod key_range;
mod memtable;
mod open;
mod paced_run;
mod partition;
#[cfg(feature = "inspect")]
pub mod planted;
mod read;
mod report;
mod run;
mod settings;
mod slab;
mod store;
mod stored_as;
mod transaction;
mod tree;
mod value_frames;
mod write_set;
mod zstd;

pub use bulk_load::{BulkLoad, BulkLoadOptions, BulkLoadReport};
pub use cache::{CacheStats, StoreCache};
pub use catalog::{CatalogState, ObjectChange};
pub use durability::CommitDurability;
pub use error::{StoreError, StoreErrorKind, backend_failure};
pub use export::{Export, KnownContents, StoreImport};
pub use integrity::{CheckReport, Problem, RepairReport, RunRepair};
pub use jobs::JobRunner;
pub use read::TreeScan;
pub use report::{ColumnStorage, StoreStats, TreeStorage};
pub use settings::StoreSettings;
pub use store::{
    Job, JobControl, JobId, JobInfo, JobSource, JobState, Pace, ScratchSpace, ScratchTicket, Store,
};
pub use transaction::{InsertError, PointRead, Transaction};
pub use value_frames::{Rewrite, ValueFrameTotals, ValueFramesByColumn, ValueFramesSource};
pub use varve_codec::ValueFrameBytes;
pub use varve_kv::{Durability, KvSetting, KvSettingValue};
pub use varve_run::{PAGE_BYTES_MAX, ValueFrame, ValueFrames};
pub use write_set::{RowLockKind, SavepointId};
pub use zstd::{ZstdSource, zstd_encoders};

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "test data is small"
)]
mod tests;
