//! Reads of one row by its key: from the row cache, memory, or pages that are at hand, without
//! waiting.

use std::sync::Arc;

use varve_types::{Batch, ColumnRef, TreeId, Value};

use crate::cache::{CachedRow, RowQuery};
use crate::error::{Result, StoreError};
use crate::format::row::{decode_columns, encode_row};
use crate::read::{PageSource, View, position_column};
use crate::run::Run;
use crate::transaction::Transaction;
use crate::transaction::interface::{encode_key, stored};
use crate::tree::Tree;
use crate::write_set::RowRef;

/// What [`Transaction::get_now`] found.
#[derive(Clone, Debug)]
pub enum PointRead {
    /// The row.
    Row(Batch),
    /// There is no such row.
    Absent,
    /// Pages must be read first: [`Transaction::get`] does.
    Wait,
}

impl Transaction {
    /// The row with this key (values in the order of the sort key), if nothing has to be read for
    /// it. Only for trees sorted by columns.
    pub fn get_now(
        &self,
        tree: TreeId,
        key: &[Value],
        columns: &[usize],
        with_position: bool,
    ) -> Result<PointRead> {
        // Rows that are being written out may have to be completed first.
        if self.spill.try_lock().is_none_or(|spill| spill.is_some()) {
            return Ok(PointRead::Wait);
        }
        {
            let mut own = self.write_set();
            own.check_usable()?;
            own.note_read(tree);
        }
        let tree = self.tree(tree)?;
        let key = encode_key(&tree, key)?;
        let columns = stored(&tree, columns)?;
        // Who wants to know where a row is, is about to change it: the cache is for those who read.
        let is_cacheable = !with_position;
        if is_cacheable && let Some((row, values)) = self.cached(&tree, &key, &columns)? {
            return Ok(PointRead::Row(batch(row, values, with_position)));
        }
        let view = View::new(
            tree,
            Arc::clone(&self.snapshot),
            Arc::clone(&self.write_set),
        );
        let mut source = PageSource::new(&self.snapshot.store, view.id());
        let row = match view.locate_now(key.clone(), &mut source)? {
            None => return Ok(PointRead::Wait),
            Some(None) => return Ok(PointRead::Absent),
            Some(Some(row)) => row,
        };
        let Some(values) = view.gather_now(row, &columns, &mut source)? else {
            return Ok(PointRead::Wait);
        };
        if is_cacheable {
            self.keep(&view, &key, row, &columns, &values);
        }
        Ok(PointRead::Row(batch(row, values, with_position)))
    }

    /// The row with this key (values in the order of the sort key). Only for trees sorted by
    /// columns.
    pub async fn get(
        &self,
        tree: TreeId,
        key: &[Value],
        columns: &[usize],
        with_position: bool,
    ) -> Result<Option<Batch>> {
        match self.get_now(tree, key, columns, with_position)? {
            PointRead::Row(row) => Ok(Some(row)),
            PointRead::Absent => Ok(None),
            PointRead::Wait => self.wait_for(tree, key, columns, with_position).await,
        }
    }

    async fn wait_for(
        &self,
        tree: TreeId,
        key: &[Value],
        columns: &[usize],
        with_position: bool,
    ) -> Result<Option<Batch>> {
        let view = self.view(tree).await?;
        let key = encode_key(&view.tree, key)?;
        let columns = stored(&view.tree, columns)?;
        let found = view.locate(core::slice::from_ref(&key)).await?;
        let Some(row) = found.into_iter().flatten().next() else {
            return Ok(None);
        };
        let values = view.gather_vector(&[row], &columns).await?;
        if !with_position {
            self.keep(&view, &key, row, &columns, &values);
        }
        Ok(Some(batch(row, values, with_position)))
    }

    /// The row from the cache, if this transaction sees the one that is there.
    fn cached(
        &self,
        tree: &Tree,
        key: &[u8],
        columns: &[usize],
    ) -> Result<Option<(RowRef, Vec<ColumnRef>)>> {
        let rows = &self.snapshot.store.rows;
        let Some(row) = rows.get(query(tree, key, columns)) else {
            return Ok(None);
        };
        let runs = self.snapshot.version.runs(tree.schema().tree);
        let slot = runs.binary_search_by_key(&row.run, |run| run.id).ok();
        let slot = slot.filter(|slot| {
            let is_alive =
                |run: &Arc<Run>| !run.deletion_vector.is_dead(row.ordinal, self.snapshot.seq);
            let own_dead = self.write_set().dead_rows(row.run);
            let is_own_dead = own_dead.is_some_and(|dead| dead.contains(row.ordinal));
            runs.get(*slot).is_some_and(is_alive) && !is_own_dead
        });
        let Some(slot) = slot.and_then(|slot| u32::try_from(slot).ok()) else {
            rows.miscounted();
            return Ok(None);
        };
        let place = RowRef::Run {
            slot,
            ordinal: row.ordinal,
        };
        let values = decode_columns(tree.types(), columns, &row.row);
        let values = values.map_err(|_| StoreError::internal("a cached row is malformed"))?;
        Ok(Some((place, values)))
    }

    /// Keeps a row of a published run for the next reader.
    fn keep(&self, view: &View, key: &[u8], row: RowRef, columns: &[usize], values: &[ColumnRef]) {
        let RowRef::Run { slot, ordinal } = row else {
            return;
        };
        // Entries of an index are in no deletion vector: another run may say that they are gone.
        if view.tree.index().is_some() {
            return;
        }
        let published = self.snapshot.version.runs(view.id());
        let Some(run) = published.get(slot as usize) else {
            return;
        };
        let mut bytes = Vec::new();
        encode_row(values, 0, &mut bytes);
        let query = query(&view.tree, key, columns);
        let row = CachedRow::new(query, (run.id, ordinal), bytes);
        self.snapshot.store.rows.put(row);
    }
}

fn query<'a>(tree: &Tree, key: &'a [u8], columns: &'a [usize]) -> RowQuery<'a> {
    RowQuery {
        tree: tree.schema().tree,
        schema_version: tree.schema().version,
        key,
        columns,
    }
}

fn batch(row: RowRef, mut columns: Vec<ColumnRef>, with_position: bool) -> Batch {
    if with_position {
        columns.push(Arc::new(position_column(core::iter::once(row))));
    }
    Batch::new(columns, 1)
}
