//! Bulk load: columns become runs directly, without log and memtable, and one commit publishes
//! them.
//!
//! Rows that come in key order are written as they come. Others are collected in memory, sorted
//! and written as a run of their own, again and again. Every key is compared with all that the
//! table holds and all that was loaded before, so what is published obeys the table's key. Entries
//! of indexes are loaded beside the rows, in the same way.

mod auto_id;
mod chunk;
mod index_load;
mod load;
mod options;
mod order;
mod tree_load;

pub use load::BulkLoad;
pub use options::{BulkLoadOptions, BulkLoadReport};
