//! A tree whose rows go over to a new one: values that are compressed one by one stay so.

use std::sync::Arc;

use varve_types::{ColumnId, TreeId};

use crate::compaction::{are_chosen, are_compressed};
use crate::error::Result;
use crate::run::Run;
use crate::store::Spill;
use crate::transaction::Transaction;
use crate::tree::Tree;
use crate::value_frames::{Rewrite, ValueFramesByColumn};

impl Transaction {
    /// To be called before the rows of `from` are inserted into `to`, a tree that this transaction
    /// made: where values of `from` are compressed one by one, those of `to` are when they are
    /// written to runs, as in a merge. Answers whether there are any; then
    /// [`Transaction::write_out`] writes them.
    ///
    /// A column of another type, or of which the choice reads such a one, waits like a new one.
    pub async fn keep_value_frames(&mut self, from: TreeId, to: TreeId) -> Result<bool> {
        let (old, new) = (self.tree(from)?, self.tree(to)?);
        let mut frames = self.known_frames(&old).await?;
        let ty = |tree: &Tree, id: ColumnId| {
            let mut columns = tree.columns().iter();
            columns
                .find(|column| column.id == id)
                .map(|column| column.ty)
        };
        let is_kept = |id: ColumnId| ty(&new, id).is_some_and(|now| ty(&old, id) == Some(now));
        frames.retain(|(column, frames)| {
            is_kept(*column) && frames.reads().iter().all(|read| is_kept(*read))
        });
        if frames.is_empty() {
            return Ok(false);
        }
        let store = &self.snapshot.store;
        let spill = self.spill.get_mut();
        let spill = spill.get_or_insert_with(|| Spill::new(store));
        spill.set_frames(to, frames);
        Ok(true)
    }

    /// Writes what was inserted so far to runs.
    pub async fn write_out(&mut self) -> Result<()> {
        self.spill_past(0).await
    }

    /// How the values of a tree are compressed that are.
    async fn known_frames(&mut self, tree: &Arc<Tree>) -> Result<ValueFramesByColumn> {
        let id = tree.schema().tree;
        let spill = self.spill.get_mut().as_ref();
        if let Some(known) = spill.and_then(|spill| spill.frames(id)) {
            return Ok(known.clone());
        }
        let runs: Vec<&Run> = self
            .snapshot
            .version
            .runs(id)
            .iter()
            .map(|run| &**run)
            .collect();
        if !are_chosen(tree, runs.iter().copied())? {
            return Ok(ValueFramesByColumn::new());
        }
        let is_all = are_compressed(tree, runs.into_iter())? && !self.has_rows_in_memory(id);
        let why = match is_all {
            true => Rewrite::MergeCompressed,
            false => Rewrite::Merge,
        };
        self.snapshot.store.frames_of(tree, why).await
    }

    /// Whether a tree may have rows beside those of the runs of the snapshot.
    fn has_rows_in_memory(&self, tree: TreeId) -> bool {
        let mut memtables = self.snapshot.memtables.iter();
        let is_in = |memtable: &Arc<crate::memtable::Memtable>| {
            let tables = memtable.tables();
            tables.get(&tree).is_some_and(|table| table.versions() > 0)
        };
        self.write_set().trees.contains_key(&tree) || memtables.any(is_in)
    }
}
