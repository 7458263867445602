//! Transactions: a snapshot, and private writes on top of it.

mod insert_error;
mod interface;

pub use insert_error::InsertError;
pub use interface::Transaction;
