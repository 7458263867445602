//! Transactions: a snapshot, and private writes on top of it.

mod commit;
mod insert;
mod insert_error;
mod interface;
mod own;
mod runs;
mod spill;
mod validate;

pub use insert_error::InsertError;
pub use interface::Transaction;
pub(crate) use own::Own;
