//! Keys that are checked at the end of the transaction: until then several rows may have one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use varve_types::{Batch, ColumnRef, RunId, TreeId};

use crate::InsertError;
use crate::error::{Result, StoreError};
use crate::read::View;
use crate::transaction::{Transaction, insert};
use crate::write_set::{RowRef, SavepointId, WRITE_SET_SEQ, WriteSet, lock_write_set};

impl Transaction {
    /// Adds rows like [`Transaction::insert`], yet looks only in [`Transaction::check_deferred`],
    /// and at the commit, whether their keys are new.
    pub async fn insert_deferred(&mut self, tree: TreeId, rows: &Batch) -> Result<(), InsertError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.write_set().check_usable()?;
        let tree = self.tree(tree)?;
        if tree.has_row_id() || tree.index().is_some() {
            return Err(StoreError::internal("the tree has no key to check later").into());
        }
        let columns = tree.stored_columns(&self.snapshot.store.ids, rows)?;
        let keys = insert::keys_of(&tree, &columns, rows.rows());
        let id = tree.schema().tree;
        for part in parts_without_twins(&keys) {
            let pick = |column: &ColumnRef| Arc::new(column.take(&part)) as ColumnRef;
            let columns: Vec<ColumnRef> = columns.iter().map(pick).collect();
            let keys = insert::keys_of(&tree, &columns, part.len());
            // A buffer holds a key once: rows with the same one are written out first.
            let is_held = |write_set: &WriteSet| {
                let buffer = write_set.tree(id).map(|written| &written.buffer);
                buffer.is_some_and(|rows| {
                    keys.iter()
                        .any(|key| rows.find(key, WRITE_SET_SEQ).is_some())
                })
            };
            let held = is_held(&self.write_set());
            let bytes_max = self.buffer_bytes_max / 2;
            self.spill_past(if held { 0 } else { bytes_max }).await?;
            self.buffer_rows(&tree, &columns, &keys)?;
            let mut write_set = self.write_set();
            write_set.deferred.entry(id).or_default().extend(keys);
        }
        Ok(())
    }

    /// Looks whether the keys of rows that were added unchecked are theirs alone.
    pub async fn check_deferred(&mut self) -> Result<(), InsertError> {
        let trees: Vec<TreeId> = self.write_set().deferred.keys().copied().collect();
        for tree in trees {
            self.check_deferred_of(tree).await?;
            self.write_set().deferred.remove(&tree);
        }
        Ok(())
    }

    async fn check_deferred_of(&mut self, tree: TreeId) -> Result<(), InsertError> {
        let keys: Vec<Vec<u8>> = {
            let write_set = self.write_set();
            let keys = write_set.deferred.get(&tree).into_iter().flatten();
            keys.cloned().collect()
        };
        if self.tree(tree).is_err() {
            // Dropped since.
            return Ok(());
        }
        let view = self.view(tree).await?;
        let found: Vec<RowRef> = view.locate(&keys).await?.into_iter().flatten().collect();
        // A key has another row if one is left without those found first.
        let runs: Vec<RunId> = view.runs.iter().map(|run| run.run.id).collect();
        let without = Without::new(&self.write_set, |write_set| {
            write_set.delete(tree, &found, |slot| runs.get(slot as usize).copied());
        });
        let rest = View::new(
            Arc::clone(&view.tree),
            Arc::clone(&self.snapshot),
            Arc::clone(&self.write_set),
        );
        let left = rest.locate(&keys).await?;
        let Some(twin) = left.iter().flatten().next().copied() else {
            return Ok(());
        };
        let batches = rest.gather(&[twin], view.tree.key(), false).await?;
        drop(without);
        let batch = batches.first();
        let columns = batch.into_iter().flat_map(Batch::physical_columns);
        Err(InsertError::Duplicate {
            index: None,
            key: columns.map(|column| column.value(0)).collect(),
        })
    }
}

/// Puts rows into parts of which none has a key twice.
fn parts_without_twins(keys: &[Vec<u8>]) -> Vec<Vec<u32>> {
    let mut seen: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for (row, key) in (0_u32..).zip(keys) {
        let part = seen.entry(key).or_default();
        match parts.get_mut(*part) {
            Some(rows) => rows.push(row),
            None => parts.push(vec![row]),
        }
        *part += 1;
    }
    parts
}

/// Writes that are taken back when this is dropped, at the latest with a dropped future.
struct Without<'a> {
    write_set: &'a Mutex<WriteSet>,
    savepoint: SavepointId,
}

impl<'a> Without<'a> {
    fn new(write_set: &'a Mutex<WriteSet>, write: impl FnOnce(&mut WriteSet)) -> Without<'a> {
        let mut locked = lock_write_set(write_set);
        let savepoint = locked.savepoint();
        write(&mut locked);
        Without {
            write_set,
            savepoint,
        }
    }
}

impl Drop for Without<'_> {
    fn drop(&mut self) {
        let mut write_set = lock_write_set(self.write_set);
        // The savepoint is in force as long as this is.
        let _ = write_set.rollback_to(self.savepoint);
        let _ = write_set.release(self.savepoint);
    }
}
