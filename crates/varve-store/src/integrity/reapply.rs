//! Commits that can be read behind some that cannot: their rows are written again, as commits of
//! the repaired store.
//!
//! What they changed may have been changed by a lost commit before. So a row that they deleted is
//! deleted where it is there, and one that they inserted replaces what is at its key. Entries of
//! indexes are left out: the indexes of all tables concerned are made anew afterwards.

use core::ops::RangeInclusive;
use std::sync::Arc;

use varve_sort::VecSet;
use varve_types::{Batch, Column, CommitSeq, RunId, TreeId, Value};

use crate::error::Result;
use crate::format::log::{self, LogOp};
use crate::format::row;
use crate::read::View;
use crate::store::Store;
use crate::tree::Tree;
use crate::write_set::RowRef;
use crate::{Durability, Transaction};

/// A log record that can be read.
pub(super) struct Later {
    pub(super) seq: CommitSeq,
    pub(super) record: Vec<u8>,
}

/// What became of the commits behind a lost one.
#[derive(Default)]
pub(super) struct Reapplied {
    /// How many are there again.
    pub(super) commits: u64,
    /// Trees with rows of theirs.
    pub(super) trees: VecSet<TreeId>,
}

impl Store {
    /// Applies commits again, up to the first that changes the catalog: what it says may rest on
    /// what is lost.
    pub(super) async fn reapply(self: &Arc<Store>, later: &[Later]) -> Result<Reapplied> {
        let mut done = Reapplied::default();
        for Later { seq, record } in later {
            let Ok(ops) = log::decode(*seq, record) else {
                continue;
            };
            if ops.iter().any(|op| matches!(op, LogOp::Catalog(_))) {
                break;
            }
            let mut transaction = self.begin();
            for op in &ops {
                done.trees.extend(transaction.reapply(op).await?);
            }
            transaction.commit(Durability::Strict).await?;
            done.commits += 1;
        }
        Ok(done)
    }
}

impl Transaction {
    /// Carries out one operation as far as it can be; answers the tree that it concerns.
    async fn reapply(&mut self, op: &LogOp<'_>) -> Result<Option<TreeId>> {
        let id = match op {
            LogOp::Catalog(_) => return Ok(None),
            LogOp::Insert { tree, .. } | LogOp::DeleteKeys { tree, .. } => *tree,
            LogOp::DeleteInRun { run, .. } => match self.tree_of(*run) {
                Some(tree) => tree,
                None => return Ok(None),
            },
        };
        let Ok(tree) = self.tree(id) else {
            return Ok(None);
        };
        if tree.index().is_some() {
            return Ok(None);
        }
        match op {
            LogOp::Insert {
                schema_version,
                rows,
                ..
            } if tree.schema().version == *schema_version => {
                self.put_rows(&tree, rows).await?;
            }
            LogOp::DeleteKeys { keys, .. } => {
                let keys: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
                self.delete_keys(id, &keys).await?;
            }
            LogOp::DeleteInRun { run, rows } => self.delete_in_run(id, *run, rows).await?,
            LogOp::Insert { .. } | LogOp::Catalog(_) => return Ok(None),
        }
        Ok(Some(id))
    }

    fn tree_of(&self, run: RunId) -> Option<TreeId> {
        let mut runs = self.snapshot.version.all_runs();
        runs.find(|found| found.id == run).map(|run| run.tree)
    }

    async fn put_rows(&mut self, tree: &Arc<Tree>, rows: &[&[u8]]) -> Result<()> {
        let id = tree.schema().tree;
        let rows = rows.iter();
        let rows = rows.filter_map(|row| row::decode_values(tree.types(), row).ok());
        let rows: Vec<Vec<Value>> = rows.collect();
        let keys = rows.iter().map(|values| {
            let mut key = Vec::new();
            tree.put_key_of_values(values, &mut key);
            key
        });
        let keys: Vec<Vec<u8>> = keys.collect();
        self.delete_keys(id, &keys).await?;
        let column = |(at, ty): (usize, &varve_types::LogicalType)| {
            let values: Vec<Value> = rows.iter().filter_map(|row| row.get(at).cloned()).collect();
            Arc::new(Column::from_values(*ty, &values))
        };
        let mut columns: Vec<_> = tree
            .types()
            .iter()
            .enumerate()
            .map(|(at, ty)| column((at, ty)))
            .collect();
        if tree.has_row_id() {
            // Stored first, inserted last.
            columns.rotate_left(1);
        }
        let batch = Batch::new(columns, rows.len());
        Ok(self.insert(id, &batch).await?)
    }

    async fn delete_keys(&mut self, tree: TreeId, keys: &[Vec<u8>]) -> Result<()> {
        let view = self.view(tree).await?;
        let found = view.locate(keys).await?;
        let positions: Vec<_> = found.into_iter().flatten().map(RowRef::pack).collect();
        drop(view);
        self.delete(tree, &positions).await
    }

    async fn delete_in_run(
        &mut self,
        tree: TreeId,
        run: RunId,
        rows: &[RangeInclusive<u32>],
    ) -> Result<()> {
        let view: View = self.view(tree).await?;
        let slot = view.runs.iter().position(|found| found.run.id == run);
        let Some(slot) = slot.and_then(|slot| u32::try_from(slot).ok()) else {
            return Ok(());
        };
        let last = self.snapshot.seq;
        let found = view.runs.get(slot as usize).map(|view| &*view.run);
        let end = found.and_then(|run| u32::try_from(run.rows).ok());
        let within = |range: &RangeInclusive<u32>| {
            let end = range.end().saturating_add(1).min(end.unwrap_or(0));
            *range.start()..end
        };
        let alive = rows.iter().flat_map(within);
        let alive =
            alive.filter(|at| found.is_some_and(|run| !run.deletion_vector.is_dead(*at, last)));
        let positions: Vec<_> = alive
            .map(|ordinal| RowRef::Run { slot, ordinal }.pack())
            .collect();
        drop(view);
        self.delete(tree, &positions).await
    }
}
