//! The store: trees of rows in columnar runs over a key-value store, with log, memtable, manifest,
//! snapshots, transactions, flush and background jobs. It knows tree schemas and encoded catalogue
//! objects, never SQL, and never which backend keeps its values.
//!
//! Invariant: a change becomes visible by one atomic `Kv::commit`; what is written before it is
//! listed by an intent, which open sweeps.
//! Invariant: a run never changes; what was deleted in it is a separate mark.
//! Invariant: equal inputs and settings give equal bytes on every target.
//! Invariant: no lock is held across an await.
//! Invariant: keys hold ids and counters, never user data.

mod bulk_load;
mod cache;
mod catalogue;
mod claims;
mod compaction;
mod conflicts;
mod durability;
mod failure;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
mod flush;
mod format;
mod integrity;
mod jobs;
mod log;
mod memtable;
mod open;
mod paced_run;
mod page_sink;
#[cfg(feature = "inspect")]
pub mod planted;
mod publication;
mod read;
mod recent_marks;
mod replay;
mod report;
mod reserve;
mod run;
mod scratch;
mod settings;
mod slab;
mod snapshot;
mod state;
mod store;
mod transaction;
mod tree;
mod version;

pub use bulk_load::{BulkLoad, BulkLoadOptions, BulkLoadReport};
pub use cache::CacheStats;
pub use catalogue::{CatalogueState, ObjectChange};
pub use claims::ClaimKind;
pub use durability::CommitDurability;
pub use integrity::{CheckReport, Problem, RepairReport, RunRepair};
pub use jobs::{Job, JobControl, JobId, JobInfo, JobRunner, JobState};
pub use read::{KeyRange, ScanOptions, TreeScan};
pub use report::{ColumnStorage, StoreStats, TreeStorage};
pub use scratch::{ScratchSpace, ScratchTicket};
pub use settings::StoreSettings;
pub use store::Store;
pub use transaction::{InsertError, PointRead, SavepointId, Transaction};
pub use varve_kv::Durability;

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "test data is small"
)]
mod tests;
