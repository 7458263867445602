//! The one description of a scan, from the executor to the store.

use std::sync::Arc;

use crate::TreeId;
use crate::scan::{Cutoff, KeyPart, KeyRange, Predicate, Wanted};

/// What a scan of a tree is asked for. Its predicates test what `C` names: columns of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanSpec<C = usize> {
    /// The tree.
    pub tree: TreeId,
    /// Output columns: positions in `TreeSchema::columns`.
    pub columns: Vec<usize>,
    /// Only rows that pass all of these, applied exactly; columns are positions in
    /// `TreeSchema::columns`.
    pub predicates: Vec<Predicate<C>>,
    /// Adds a last BIGINT column with each row's `RowPosition`, bit for bit.
    pub with_position: bool,
    /// Only rows with keys of this range. Predicates of key columns need not be given as a range
    /// too: the scan sees for itself what they leave out.
    pub range: KeyRange,
    /// Rows in key order, whatever it takes; without it only where it takes nothing.
    pub ordered: bool,
    /// Rows in descending key order, where they come in key order.
    pub reverse: bool,
    /// Most rows that the reader will take, if it knows.
    pub limit_rows: Option<u64>,
    /// Of each output column what is to be told of rows that the scan need not give then. Without
    /// it the scan gives all rows.
    pub wanted: Option<Vec<Wanted>>,
    /// What leaves out more rows while the scan runs. Those that may come first then do, as far as
    /// the order of rows is free.
    pub cutoff: Option<Arc<Cutoff>>,
    /// Of rows with equal values in so many leading columns of the order that is asked for only the
    /// first is wanted; others may come too. 0: all are wanted. The store gives all of them.
    pub first_of: usize,
}

/// What a scan of a table is asked for, which may also test expressions of the table's indexes.
pub type TableScan = ScanSpec<KeyPart>;

impl<C> ScanSpec<C> {
    /// All rows of a tree with some columns, in any order.
    pub fn of(tree: TreeId, columns: Vec<usize>) -> ScanSpec<C> {
        ScanSpec {
            tree,
            columns,
            predicates: Vec::new(),
            with_position: false,
            range: KeyRange::default(),
            ordered: false,
            reverse: false,
            limit_rows: None,
            wanted: None,
            cutoff: None,
            first_of: 0,
        }
    }
}
