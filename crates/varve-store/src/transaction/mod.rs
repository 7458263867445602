//! Transactions: a snapshot, and private writes on top of it.

mod claim;
mod commit;
mod deferred;
mod group;
mod index;
mod insert;
mod insert_error;
mod interface;
mod own;
mod point;
mod runs;
mod savepoint;
mod spill;
mod unique;
mod validate;

pub(crate) use group::CommitQueue;
pub(crate) use index::entry_columns;
pub use insert_error::InsertError;
pub use interface::Transaction;
pub(crate) use own::Own;
pub use point::PointRead;
pub use savepoint::SavepointId;
pub(crate) use validate::Deletes;
