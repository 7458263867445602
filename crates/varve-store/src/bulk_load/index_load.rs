//! Entries of one index on their way into runs, beside the rows that they are of.

use std::sync::Arc;

use varve_types::{Batch, Uniqueness};

use crate::InsertError;
use crate::bulk_load::tree_load::TreeLoad;
use crate::format::row::ENTRY_ADDED;
use crate::store::Store;
use crate::transaction::{Transaction, entry_columns};
use crate::tree::Tree;

/// So few entries are looked up one by one; after more of them the whole index is read.
const KEPT_ENTRIES_MAX: usize = 16_384;

/// The runs of one index that a load writes.
pub(super) struct IndexLoad {
    entries: TreeLoad,
    is_unique: bool,
    /// What was added to a unique index, as long as it is little.
    kept: Option<Vec<Batch>>,
}

impl IndexLoad {
    pub(super) fn new(store: &Store, tree: Arc<Tree>) -> IndexLoad {
        let uniqueness = tree.index().map(|index| index.uniqueness);
        let is_unique = uniqueness.is_some_and(|uniqueness| uniqueness != Uniqueness::None);
        IndexLoad {
            entries: TreeLoad::new(store, tree),
            is_unique,
            kept: is_unique.then(Vec::new),
        }
    }

    /// Takes entries, whose columns are those of the schema of the index.
    pub(super) async fn add(
        &mut self,
        transaction: &mut Transaction,
        entries: &Batch,
    ) -> Result<(), InsertError> {
        let columns = entry_columns(self.entries.tree(), entries, ENTRY_ADDED)?;
        self.entries
            .add(transaction, &columns, 0..entries.rows())
            .await?;
        if let Some(kept) = &mut self.kept {
            kept.push(entries.clone());
            let rows: usize = kept.iter().map(Batch::rows).sum();
            if rows > KEPT_ENTRIES_MAX {
                self.kept = None;
            }
        }
        Ok(())
    }

    /// Writes what is left, and refuses entries that must be unique and are not.
    pub(super) async fn finish(
        &mut self,
        transaction: &mut Transaction,
    ) -> Result<(), InsertError> {
        self.entries.finish(transaction).await?;
        let tree = self.entries.tree().schema().tree;
        match &self.kept {
            _ if !self.is_unique => Ok(()),
            None => transaction.index_check_all_unique(tree).await,
            Some(kept) => {
                for entries in kept {
                    transaction.index_check_unique(tree, entries).await?;
                }
                Ok(())
            }
        }
    }

    /// Bytes of all complete runs.
    pub(super) fn bytes(&self) -> u64 {
        self.entries.bytes()
    }
}
