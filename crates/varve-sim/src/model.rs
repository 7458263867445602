//! What a store must hold: every tree an ordered map, with indexes that follow from its rows.

use std::collections::{BTreeMap, BTreeSet};

use varve_types::TreeId;

use crate::data::{Kind, Row};
use crate::index::Index;

/// The rows of a tree by their `k`.
pub(crate) type Rows = BTreeMap<i64, Row>;

/// One tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) kind: Kind,
    pub(crate) rows: Rows,
}

/// All trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) trees: BTreeMap<TreeId, Tree>,
    pub(crate) indexes: BTreeMap<TreeId, Index>,
}

/// What one transaction changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delta {
    pub(crate) created: BTreeMap<TreeId, Kind>,
    pub(crate) dropped: BTreeSet<TreeId>,
    /// The index that is there afterwards, or that none is.
    pub(crate) indexes: BTreeMap<TreeId, Option<Index>>,
    /// The row that is there afterwards, or that none is.
    pub(crate) rows: BTreeMap<TreeId, BTreeMap<i64, Option<Row>>>,
}

impl Delta {
    pub(crate) fn put(&mut self, tree: TreeId, row: Row) {
        self.rows.entry(tree).or_default().insert(row.k, Some(row));
    }

    pub(crate) fn remove(&mut self, tree: TreeId, k: i64) {
        self.rows.entry(tree).or_default().insert(k, None);
    }

    /// The transaction leaves a key as it was, with a row of its own in between.
    pub(crate) fn forget(&mut self, tree: TreeId, k: i64) {
        if let Some(rows) = self.rows.get_mut(&tree) {
            rows.remove(&k);
        }
    }
}

impl Model {
    pub(crate) fn rows(&self, tree: TreeId) -> Option<&Rows> {
        self.trees.get(&tree).map(|tree| &tree.rows)
    }

    /// The indexes of a tree.
    pub(crate) fn indexes_of(&self, tree: TreeId) -> impl Iterator<Item = (TreeId, Index)> {
        let indexes = self.indexes.iter().map(|(id, index)| (*id, *index));
        indexes.filter(move |(_, index)| index.of == tree)
    }

    /// Removes a tree and its indexes.
    pub(crate) fn drop_tree(&mut self, tree: TreeId) {
        self.trees.remove(&tree);
        self.indexes.retain(|_, index| index.of != tree);
    }

    /// Applies changes. A tree that any of them drops is gone, whatever its rows: ids of trees do
    /// not come back.
    pub(crate) fn apply<'a>(&mut self, deltas: impl Iterator<Item = &'a Delta> + Clone) {
        for (tree, kind) in deltas.clone().flat_map(|delta| &delta.created) {
            self.trees.insert(
                *tree,
                Tree {
                    kind: *kind,
                    rows: Rows::new(),
                },
            );
        }
        for delta in deltas.clone() {
            for (tree, changes) in &delta.rows {
                let Some(tree) = self.trees.get_mut(tree) else {
                    continue;
                };
                for (k, row) in changes {
                    match row {
                        Some(row) => tree.rows.insert(*k, row.clone()),
                        None => tree.rows.remove(k),
                    };
                }
            }
        }
        for (id, index) in deltas.clone().flat_map(|delta| &delta.indexes) {
            match index {
                Some(index) => self.indexes.insert(*id, *index),
                None => self.indexes.remove(id),
            };
        }
        for tree in deltas.flat_map(|delta| &delta.dropped) {
            self.drop_tree(*tree);
        }
    }
}
