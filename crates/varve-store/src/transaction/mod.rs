//! Transactions: a snapshot, and private writes on top of it.
//!
//! # Writes before the commit
//!
//! A statement collects all rows that it will write before it writes the first, so no scan sees its
//! own writes. The layer above checks NOT NULL; here keys are checked against the snapshot and the
//! transaction's own writes (`23505`). New rows go to the write set (`write_set`), a private
//! memtable; rows to be deleted are noted by their place. A write set that passes half a memtable
//! *spills*: its rows are sorted into runs that an intent lists and no manifest does
//! (`store/spill.rs`). A spill that fails dooms the transaction; any other failed call leaves it as
//! it was.
//!
//! Own rows carry the sequence of the savepoint after which they came (`write_set/savepoint.rs`),
//! so taking a savepoint copies nothing. ROLLBACK TO hides the rows that came later, revives the
//! rows deleted since, and drops the runs spilled since; a spilled run holds rows of one segment
//! between two savepoints only.
//!
//! # Commit
//!
//! 1. *Group commit* (`group.rs`). A commit queues its request, then waits for its answer or for
//!    the commit lock (`Store::take_commit_lock`). Whoever has the lock commits for all who wait.
//!    What is under way belongs to the store, not to the future that began it. If that future is
//!    dropped, the next one with the lock repeats the same write and answers for it. If a group
//!    cannot be written, each of its transactions is validated and committed alone. A transaction
//!    that spilled or changed the catalog is alone from the start.
//! 2. *Validation* (`validate.rs`) never waits for I/O. The first committer wins, the others get
//!    `40001`. Rows to be deleted must still live, wherever a flush or a compaction has moved them.
//!    Inserted keys must not be among the keys inserted since the snapshot
//!    (`store/recent_keys.rs`). Keys and row locks of commits that every snapshot sees are
//!    forgotten. Where there are many, the old keys become ranges, so that a long reader costs
//!    little. A transaction whose writes meet those of another one in its group waits until that
//!    one is decided.
//! 3. *Row locks* (`write_set/row_locks.rs`: foreign keys, FOR UPDATE, FOR SHARE) are rows by their
//!    place too. The transaction that locked a row fails if somebody has changed it; a transaction
//!    that changes a row fails if somebody has locked it.
//! 4. *The log* takes one record for each transaction: see the head of `store/log.rs`. A
//!    transaction that spilled or dropped a table publishes a new manifest and deletes its intent
//!    in the same `Kv::commit`.
//! 5. *In memory* the same changes are applied (`commit.rs`). Nothing can fail here.
//!
//! A SERIALIZABLE transaction also notes the trees that it reads, and fails with `40001` if one of
//! them was written since its snapshot. The facade runs statements outside a transaction block
//! again when they fail so.

mod commit;
mod deferred;
mod delete_range;
mod group;
mod group_writes;
mod index;
mod insert;
mod insert_error;
mod interface;
mod kept_frames;
mod lock_rows;
mod point;
mod runs;
mod unique;
mod validate;

pub(crate) use index::entry_columns;
pub use insert_error::InsertError;
pub use interface::Transaction;
pub use point::PointRead;
