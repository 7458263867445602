//! How rows are locked that names stand for.

use varve_types::TreeId;

use crate::plan::RowLock;

/// How the rows of a relation are locked, and where their places are.
#[derive(Clone, Debug)]
pub struct LockedRelation {
    /// How its rows are locked.
    pub lock: RowLock,
    /// Empty where the lock is taken below.
    pub trees: Vec<TreeId>,
    /// The name of the table.
    pub name: String,
    /// The column with the row's position, and of several trees the one with the number of its
    /// tree.
    pub columns: Vec<usize>,
}

impl LockedRelation {
    /// A relation whose rows are locked where they are read.
    pub fn below(lock: RowLock) -> LockedRelation {
        LockedRelation {
            lock,
            trees: Vec::new(),
            name: String::new(),
            columns: Vec::new(),
        }
    }
}
