//! Streams the rows of a tree as one transaction sees them.

use varve_types::{Batch, ColumnPredicate, Error, Result, TreeId};

/// What a scan is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanOptions {
    /// The tree.
    pub tree: TreeId,
    /// Output columns: positions in `TreeSchema::columns`.
    pub columns: Vec<usize>,
    /// Only rows that pass all of these, applied exactly; they name positions in `TreeSchema::columns`.
    pub predicates: Vec<ColumnPredicate>,
    /// Adds a last BIGINT column with each row's `RowPosition`, bit for bit.
    pub with_position: bool,
    /// Rows in descending key order, where [`TreeScan::is_key_ordered`].
    pub reverse: bool,
    /// Most rows that the reader will take, if it knows.
    pub limit_rows: Option<u64>,
}

/// A running scan; it owns what it reads from, so it may outlive the call that made it.
#[derive(Debug)]
pub struct TreeScan {
    pub(crate) key_ordered: bool,
}

impl TreeScan {
    /// Whether rows come in the order of the sort key (descending if reverse was asked for).
    pub fn is_key_ordered(&self) -> bool {
        self.key_ordered
    }

    /// The next batch of at most 1,024 rows, or `None` after the last one. Batches are not empty.
    pub async fn next(&mut self) -> Result<Option<Batch>> {
        Err(Error::unsupported("scan"))
    }
}
