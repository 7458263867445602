//! A load as its caller sees it.

use std::sync::Arc;

use varve_sort::VecMap;
use varve_types::{Batch, ColumnRef, TreeId};

use crate::bulk_load::auto_id::AutoId;
use crate::bulk_load::index_load::IndexLoad;
use crate::bulk_load::tree_load::TreeLoad;
use crate::error::{Result, StoreError, StoreErrorKind};
use crate::store::Store;
use crate::transaction::Transaction;
use crate::{BulkLoadOptions, BulkLoadReport, Durability, InsertError};

/// Rows of one tree on their way into runs, which nobody sees before [`BulkLoad::finish`]. Dropped
/// without it, the load has not happened, and its pages are deleted.
///
/// After an error only [`BulkLoad::abort`] makes sense.
pub struct BulkLoad {
    transaction: Transaction,
    rows: TreeLoad,
    indexes: VecMap<TreeId, IndexLoad>,
    ids: Option<AutoId>,
    options: BulkLoadOptions,
    started_us: u64,
    /// Whether everything that was given so far was taken.
    sound: bool,
}

impl Store {
    /// Begins to load rows into a tree. Others read and write meanwhile; those who insert keys
    /// between the least and the greatest key that are loaded, and commit first, fail the load.
    pub fn bulk_load(
        self: &Arc<Store>,
        tree: TreeId,
        options: BulkLoadOptions,
    ) -> Result<BulkLoad> {
        self.begin().into_bulk_load(tree, options)
    }

    /// Begins a load whose batches lack the key, one integer column: it counts on from the
    /// greatest key of the tree. Hidden row ids are handed out in every load.
    pub async fn bulk_load_auto_id(
        self: &Arc<Store>,
        tree: TreeId,
        options: BulkLoadOptions,
    ) -> Result<BulkLoad> {
        let load = self.bulk_load(tree, options)?;
        load.with_auto_id().await
    }

    /// Loads all rows of some batches, or none.
    pub async fn direct_bulk_load(
        self: &Arc<Store>,
        tree: TreeId,
        batches: impl IntoIterator<Item = Batch>,
        options: BulkLoadOptions,
    ) -> Result<BulkLoadReport, InsertError> {
        self.bulk_load(tree, options)?.run(batches).await
    }

    /// Loads all rows of some batches that lack the key, or none.
    pub async fn direct_bulk_load_auto_id(
        self: &Arc<Store>,
        tree: TreeId,
        batches: impl IntoIterator<Item = Batch>,
        options: BulkLoadOptions,
    ) -> Result<BulkLoadReport, InsertError> {
        let load = self.bulk_load_auto_id(tree, options).await?;
        load.run(batches).await
    }
}

impl Transaction {
    /// Begins a load as [`Store::bulk_load`] does, at the snapshot of a transaction that has not
    /// written anything.
    pub fn into_bulk_load(self, tree: TreeId, options: BulkLoadOptions) -> Result<BulkLoad> {
        let store = Arc::clone(self.store());
        store.check_room()?;
        let tree = self.tree(tree)?;
        Ok(BulkLoad {
            rows: TreeLoad::new(&store, tree),
            transaction: self,
            indexes: VecMap::new(),
            ids: None,
            options,
            started_us: store.env.monotonic_us(),
            sound: true,
        })
    }
}

impl BulkLoad {
    /// Lets the store hand out the key, as [`Store::bulk_load_auto_id`] does.
    pub async fn with_auto_id(mut self) -> Result<BulkLoad> {
        let tree = self.rows.tree();
        if !tree.has_row_id() {
            let view = self.transaction.view(tree.schema().tree).await?;
            self.ids = Some(AutoId::new(&view)?);
        }
        Ok(self)
    }

    /// The transaction that publishes the rows, to change the catalog with them.
    pub fn transaction(&mut self) -> &mut Transaction {
        &mut self.transaction
    }

    /// Whether there are rows whose keys were not compared with all others yet: an error of a later
    /// call may be theirs.
    pub fn has_unchecked(&self) -> bool {
        self.rows.has_unchecked()
    }

    /// Adds rows: the columns are those of the schema, in any form, and here, unlike elsewhere, of
    /// any length. The caller has made sure that nothing is NULL that must not be.
    pub async fn append(&mut self, batch: &Batch) -> Result<(), InsertError> {
        self.check_sound()?;
        // Also stays so where the future is dropped half-way.
        self.sound = false;
        let store = Arc::clone(self.transaction.store());
        let batch = self.with_ids(batch)?;
        let columns = self.rows.tree().stored_columns(&store.ids, &batch)?;
        let mut start = 0;
        while start < batch.rows() {
            let end = batch.rows().min(start + self.options.batch_rows.max(1));
            let rows = start..end;
            self.rows.add(&mut self.transaction, &columns, rows).await?;
            start = end;
        }
        self.sound = true;
        Ok(())
    }

    /// Adds the entries that an index has of the rows of the last [`BulkLoad::append`]: the columns
    /// are those of the index's schema. Whoever loads rows adds entries to every index of the tree.
    pub async fn append_entries(
        &mut self,
        index: TreeId,
        entries: &Batch,
    ) -> Result<(), InsertError> {
        self.check_sound()?;
        self.sound = false;
        let transaction = &self.transaction;
        let load = self.indexes.entry(index).or_try_insert_with(|| {
            let tree = transaction.tree(index)?;
            Ok::<_, StoreError>(IndexLoad::new(transaction.store(), tree))
        })?;
        let added = load.add(&mut self.transaction, entries).await;
        if let Err(InsertError::Duplicate { .. }) = added {
            // Entries occur twice where rows do, which are what the caller knows.
            self.rows.finish(&mut self.transaction).await?;
        }
        added?;
        self.sound = true;
        Ok(())
    }

    /// The rows with the ids that they get: the automatic key where it is missing, or the hidden
    /// row id as one more column. [`BulkLoad::append`] takes them as they are; entries of
    /// indexes need them.
    pub fn with_ids(&mut self, batch: &Batch) -> Result<Batch> {
        let tree = self.rows.tree();
        let width = tree.schema().columns.len();
        let columns = (0..batch.width()).filter_map(|at| batch.column(at));
        let mut columns: Vec<ColumnRef> = columns.collect();
        if let Some(ids) = &mut self.ids
            && columns.len() < width
        {
            ids.insert(&mut columns, batch.rows())?;
        } else if tree.has_row_id() && columns.len() == width {
            let store = self.transaction.store();
            let rows = Batch::new(columns.clone(), batch.rows());
            let stored = tree.stored_columns(&store.ids, &rows)?;
            columns.extend(stored.into_iter().next());
        }
        Ok(Batch::new(columns, batch.rows()))
    }

    /// Publishes the rows. `40001` where a commit since the begin of the load inserted keys among
    /// those that were loaded, or dropped the tree.
    pub async fn finish(mut self) -> Result<BulkLoadReport, InsertError> {
        match self.complete().await {
            Ok(report) => Ok(self.commit(report).await?),
            Err(error) => {
                // What failed is told; pages that could not be deleted now are deleted later.
                let _ = self.abort().await;
                Err(error)
            }
        }
    }

    /// Forgets the rows and deletes what was written of them.
    pub async fn abort(self) -> Result<()> {
        self.transaction.rollback().await
    }

    async fn run(
        mut self,
        batches: impl IntoIterator<Item = Batch>,
    ) -> Result<BulkLoadReport, InsertError> {
        for batch in batches {
            if let Err(error) = self.append(&batch).await {
                // As in `finish`.
                let _ = self.abort().await;
                return Err(error);
            }
        }
        self.finish().await
    }

    fn check_sound(&self) -> Result<()> {
        match self.sound {
            true => Ok(()),
            false => Err(StoreErrorKind::LoadInterrupted.into()),
        }
    }

    async fn complete(&mut self) -> Result<BulkLoadReport, InsertError> {
        self.check_sound()?;
        self.rows.finish(&mut self.transaction).await?;
        let mut bytes = self.rows.bytes();
        for index in self.indexes.values_mut() {
            index.finish(&mut self.transaction).await?;
            bytes += index.bytes();
        }
        Ok(BulkLoadReport {
            rows: self.rows.rows(),
            bytes,
            duration_us: 0,
            max_row_id: self.rows.greatest(),
        })
    }

    async fn commit(self, report: BulkLoadReport) -> Result<BulkLoadReport> {
        let store = Arc::clone(self.transaction.store());
        let durability = match self.options.sync_at_end {
            true => Durability::Strict,
            false => Durability::Relaxed,
        };
        self.transaction.commit(durability).await?;
        let ended_us = store.env.monotonic_us();
        Ok(BulkLoadReport {
            duration_us: ended_us.saturating_sub(self.started_us),
            ..report
        })
    }
}

impl core::fmt::Debug for BulkLoad {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BulkLoad")
            .field("rows", &self.rows.rows())
            .finish_non_exhaustive()
    }
}
