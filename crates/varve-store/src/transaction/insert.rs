//! Inserting rows: keys, the uniqueness check, the private buffer.

use std::sync::Arc;

use varve_run::ROW_BYTES_MAX;
use varve_types::{Batch, ColumnRef, Invariant, RowPosition, TreeId};

use crate::InsertError;
use crate::error::{Result, StoreError, StoreErrorKind};
use crate::format::row::encode_row;
use crate::ids::Ids;
use crate::memtable::RowTable;
use crate::read::View;
use crate::store::Spill;
use crate::transaction::Transaction;
use crate::tree::Tree;
use crate::write_set::WriteSet;

/// Room for most keys.
const KEY_BYTES: usize = 16;

/// The keys of rows of stored columns.
pub(super) fn keys_of(tree: &Tree, columns: &[ColumnRef], rows: usize) -> Vec<Vec<u8>> {
    let key = |row| {
        let mut key = Vec::with_capacity(KEY_BYTES);
        tree.put_key(columns, row, &mut key);
        key
    };
    (0..rows).map(key).collect()
}

impl Transaction {
    /// Adds rows. Where `has_old_keys`, they have the keys of rows that were just deleted, which
    /// need no check.
    pub(super) async fn insert_rows(
        &mut self,
        tree: TreeId,
        rows: &Batch,
        has_old_keys: bool,
    ) -> Result<(), InsertError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.write_set().check_usable()?;
        self.snapshot.store.check_room()?;
        let tree = self.tree(tree)?;
        if tree.index().is_some() {
            return Err(StoreError::internal("rows are not inserted into an index").into());
        }
        // Before the new rows, so that those of one statement, which may be taken back, seldom
        // need a run of their own.
        let bytes_max = self.buffer_bytes_max;
        self.spill_past(bytes_max / 2).await?;
        let columns = tree.stored_columns(&self.snapshot.store.ids, rows)?;
        let keys = keys_of(&tree, &columns, rows.rows());
        if !tree.has_row_id() && !has_old_keys {
            self.check_unique(&tree, &columns, &keys).await?;
        }
        self.buffer_rows(&tree, &columns, &keys)?;
        self.spill_past(bytes_max).await?;
        Ok(())
    }

    /// The first of so many row ids that nobody else gets.
    pub fn new_row_ids(&self, count: usize) -> i64 {
        let ids = &self.snapshot.store.ids.row;
        Ids::take(ids, count as u64).cast_signed()
    }

    /// Refuses keys that occur twice, or that rows of the snapshot or own rows already have.
    async fn check_unique(
        &self,
        tree: &Arc<Tree>,
        columns: &[ColumnRef],
        keys: &[Vec<u8>],
    ) -> Result<(), InsertError> {
        let duplicate = |row: usize| {
            let key = tree.key().iter().filter_map(|at| columns.get(*at));
            InsertError::Duplicate {
                index: None,
                key: key.map(|column| column.value(row)).collect(),
            }
        };
        let mut sorted: Vec<(&[u8], usize)> = keys.iter().map(Vec::as_slice).zip(0..).collect();
        varve_sort::sort(&mut sorted);
        for (above, below) in sorted.iter().skip(1).zip(&sorted) {
            if above.0 == below.0 {
                return Err(duplicate(above.1));
            }
        }
        let id = tree.schema().tree;
        let lowest = sorted.first().map_or(&[][..], |(key, _)| key);
        if let Some(spill) = &mut *self.spill.lock().await
            && spill.open_runs_reach(id, lowest)
        {
            spill.finish(&self.write_set, Some(id)).await?;
        }
        let view = View::new(
            Arc::clone(tree),
            Arc::clone(&self.snapshot),
            Arc::clone(&self.write_set),
        );
        let found = view.locate(keys).await?;
        match found.iter().position(Option::is_some) {
            Some(row) => Err(duplicate(row)),
            None => Ok(()),
        }
    }

    /// Takes the place of rows with rows that have the same keys, of which nothing is done where
    /// it fails: so it needs no savepoint.
    pub(super) async fn replace_same_keys(
        &mut self,
        tree: TreeId,
        positions: &[RowPosition],
        rows: &Batch,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.snapshot.store.check_room()?;
        let (old, runs) = self.rows_at(tree, positions).await?;
        let shape = self.tree(tree)?;
        let columns = shape.stored_columns(&self.snapshot.store.ids, rows)?;
        let keys = keys_of(&shape, &columns, rows.rows());
        let rows = EncodedRows::new(&columns, keys.len())?;
        {
            let mut write_set = self.write_set();
            self.reserve_rows(&mut write_set, &keys, &rows)?;
            write_set.delete(tree, &old, |slot| runs.get(slot as usize).copied());
            write_set.buffer(&shape, &keys, &rows)?;
        }
        let bytes_max = self.buffer_bytes_max;
        self.spill_past(bytes_max).await
    }

    pub(super) fn buffer_rows(
        &self,
        tree: &Arc<Tree>,
        columns: &[ColumnRef],
        keys: &[Vec<u8>],
    ) -> Result<()> {
        let rows = EncodedRows::new(columns, keys.len())?;
        let mut write_set = self.write_set();
        self.reserve_rows(&mut write_set, keys, &rows)?;
        write_set.buffer(tree, keys, &rows)
    }

    /// Makes room for rows in the buffers.
    fn reserve_rows(
        &self,
        write_set: &mut WriteSet,
        keys: &[Vec<u8>],
        rows: &EncodedRows,
    ) -> Result<()> {
        let cost = keys.iter().enumerate();
        let cost = cost.map(|(row, key)| Ok(RowTable::cost_bytes(key, rows.get(row)?)));
        let cost: u64 = cost.sum::<Result<u64>>()?;
        let bytes = write_set.buffer_bytes().saturating_add(cost);
        self.snapshot
            .store
            .reserve(&mut write_set.reservation, bytes)
    }

    /// Writes the buffers out if they take more than `bytes_max`.
    pub(super) async fn spill_past(&mut self, bytes_max: u64) -> Result<()> {
        let store = &self.snapshot.store;
        let bytes = self.write_set().buffer_bytes();
        if bytes <= bytes_max {
            return Ok(());
        }
        let spill = self.spill.get_mut();
        let spill = spill.get_or_insert_with(|| Spill::new(store));
        spill.write_buffers(&self.write_set).await
    }
}

/// Rows as the arena of a memtable holds them.
struct EncodedRows {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl EncodedRows {
    /// `54000` for a row above the limit.
    fn new(columns: &[ColumnRef], rows: usize) -> Result<EncodedRows> {
        let mut encoded = EncodedRows {
            bytes: Vec::new(),
            ends: Vec::with_capacity(rows),
        };
        for row in 0..rows {
            let before = encoded.bytes.len();
            encode_row(columns, row, &mut encoded.bytes);
            // Fixed values take up to 8 bytes in a run, whatever they take here.
            let bytes = encoded.bytes.len() - before + columns.len() * 8;
            if bytes > ROW_BYTES_MAX {
                return Err(StoreErrorKind::RowTooLarge { bytes }.into());
            }
            encoded.ends.push(encoded.bytes.len());
        }
        Ok(encoded)
    }

    fn get(&self, row: usize) -> Result<&[u8]> {
        let start = match row.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let range = start.zip(self.ends.get(row));
        let bytes = range.and_then(|(start, end)| self.bytes.get(start..*end));
        Ok(bytes.or_broken("encoded row")?)
    }
}

impl WriteSet {
    /// Adds rows with these keys to the buffer of a tree.
    fn buffer(&mut self, tree: &Arc<Tree>, keys: &[Vec<u8>], rows: &EncodedRows) -> Result<()> {
        let now = self.savepoints.now();
        let buffer = &mut self.tree_mut(tree).buffer;
        for (row, key) in keys.iter().enumerate() {
            buffer.insert(key, rows.get(row)?, now)?;
        }
        Ok(())
    }
}
