//! The transaction of a statement: the store's, and the checks that it puts off.

use varve_store::Transaction;

use crate::write::chunks::MadeChunks;
use crate::write::deferred::Deferred;

/// What a statement changes: it travels as one value from the session to the last row.
pub struct StatementTxn {
    /// The rows and the catalog.
    pub store: Transaction,
    /// The constraints that are checked at the transaction's end.
    pub deferred: Deferred,
    /// The chunks that it has made.
    pub chunks: MadeChunks,
}

impl StatementTxn {
    /// A transaction that has put off nothing yet.
    pub fn new(store: Transaction) -> StatementTxn {
        StatementTxn {
            store,
            deferred: Deferred::default(),
            chunks: MadeChunks::default(),
        }
    }
}
