//! Bulk load: columns become runs directly, without log and memtable, and one commit publishes
//! them. `Database::bulk_load`, `db.bulkLoad` in JavaScript, and COPY outside a transaction block
//! load so.
//!
//! 1. *Columns* come in batches of any length. The layer above checks types and NOT NULL. The store
//!    adds hidden row ids or, where it is asked for, an integer key that counts on from the
//!    greatest one (`auto_id.rs`).
//! 2. *Order* (`order.rs`). Rows whose keys ascend above the run that is open go straight to its
//!    writer. Other rows are collected (`chunk.rs`) up to a memtable's size, or a quarter of the
//!    memory limit, and sorted by key. Then they are written to the open run if they are above it,
//!    else to a run of their own (`tree_load.rs`).
//! 3. *Every key is new.* Neighbours are compared as rows are sorted. Where the key range of a
//!    batch or chunk overlaps that of a run, of the memtables or of what was loaded before, its
//!    keys are looked up there, through filters as in any lookup. An ordered load above everything
//!    looks nothing up.
//! 4. *Indexes* (`index_load.rs`). The layer above makes entries of the same batches, and they are
//!    loaded in the same way. Whether unique indexes are unique is seen at the end: entry by entry
//!    for few, by reading the index in order for many.
//! 5. *Encoding* is done group by group. Where `Env::parallel` offers threads, which only native
//!    builds do, the columns of a group are encoded at the same time; the bytes are the same.
//! 6. *The commit* is that of a transaction that spilled. No lock is held before it. It fails with
//!    `40001` if another commit inserted keys between the least and the greatest that were loaded.
//!    An error, a drop or a crash before it leaves an intent, whose pages are deleted.

mod auto_id;
mod chunk;
mod index_load;
mod load;
mod options;
mod order;
mod tree_load;

pub use load::BulkLoad;
pub use options::{BulkLoadOptions, BulkLoadReport};
