//! Which runs a compaction may choose from.

use core::ops::Range;

use varve_types::TreeId;

use crate::run::Run;
use crate::tree::Tree;

/// What is to be compacted.
#[derive(Clone, Debug)]
pub(crate) enum Extent {
    All,
    /// A tree and its indexes.
    Tree(TreeId),
    /// The runs of a tree that may have values of a range in the column by which it keeps rows
    /// apart.
    Range(TreeId, Range<i64>),
}

impl Extent {
    pub(super) fn has_tree(&self, id: TreeId, tree: &Tree) -> bool {
        match self {
            Extent::All => true,
            Extent::Tree(wanted) => {
                id == *wanted || tree.index().is_some_and(|index| index.of == *wanted)
            }
            Extent::Range(wanted, _) => id == *wanted,
        }
    }

    pub(super) fn has_run(&self, tree: &Tree, run: &Run) -> bool {
        match self {
            Extent::All | Extent::Tree(_) => true,
            Extent::Range(_, range) => run
                .head()
                .is_ok_and(|head| tree.values_of(head).may_meet(range)),
        }
    }
}
