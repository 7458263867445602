//! Rows of one tree on their way into runs.

use core::ops::Range;
use std::sync::Arc;

use varve_run::RunWriter;
use varve_sort::VecMap;
use varve_types::{ColumnRef, Invariant, Pacer, RunId};

use crate::bulk_load::auto_id::greatest;
use crate::bulk_load::chunk::{Chunk, pick};
use crate::bulk_load::order::{SameKey, ascends, sorted};
use crate::error::{Result, StoreError};
use crate::partition::{PartitionNumber, are_full};
use crate::read::ordinal;
use crate::run::Run;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::tree::Tree;
use crate::{InsertError, paced_run};

/// Rows are written in steps of so many, between which others run.
const STEP_ROWS: usize = 8192;
/// Rows collected of a table may take such a part of the memory, since what is read while they are
/// written must fit beside them, and what is collected for its indexes.
const TABLE_PARTS: u64 = 4;
/// The part of each index.
const INDEX_PARTS: u64 = 16;
/// A run is ended at this many rows, so that ordinals fit 32 bits.
const RUN_ROWS_MAX: u64 = 1 << 31;

/// The runs of one tree that a load writes. Those that are complete belong to the transaction.
pub(super) struct TreeLoad {
    tree: Arc<Tree>,
    /// By partition the run that takes rows above the last key of all.
    open: VecMap<PartitionNumber, (RunId, RunWriter)>,
    chunk: Chunk,
    rows: u64,
    bytes: u64,
    greatest: Option<i64>,
}

impl TreeLoad {
    pub(super) fn new(store: &Store, tree: Arc<Tree>) -> TreeLoad {
        let parts = match tree.index() {
            None => TABLE_PARTS,
            Some(_) => INDEX_PARTS,
        };
        TreeLoad {
            chunk: Chunk::new(store, tree.types(), parts),
            tree,
            open: VecMap::new(),
            rows: 0,
            bytes: 0,
            greatest: None,
        }
    }

    pub(super) fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of all complete runs.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The greatest row id or integer key in all complete runs.
    pub(super) fn greatest(&self) -> Option<i64> {
        self.greatest
    }

    /// Whether rows wait to be sorted.
    pub(super) fn has_unchecked(&self) -> bool {
        !self.chunk.is_empty()
    }

    /// Takes some rows of stored columns.
    pub(super) async fn add(
        &mut self,
        transaction: &mut Transaction,
        columns: &[ColumnRef],
        rows: Range<usize>,
    ) -> Result<(), InsertError> {
        let same = |SameKey(row)| duplicate(&self.tree, columns, row);
        let in_order =
            self.tree.is_by_row_id() || ascends(&self.tree, columns, rows.clone()).map_err(same)?;
        if in_order && self.chunk.is_empty() && self.is_above(columns, rows.start) {
            self.check_new(transaction, columns, rows.clone()).await?;
            return self.write(transaction, columns, rows).await;
        }
        let mut start = rows.start;
        while start < rows.end {
            let end = rows.end.min(start + STEP_ROWS);
            let store = Arc::clone(transaction.store());
            while !self.chunk.add(&store, columns, start..end)? {
                self.write_chunk(transaction).await?;
            }
            start = end;
        }
        Ok(())
    }

    /// Writes what is left.
    pub(super) async fn finish(
        &mut self,
        transaction: &mut Transaction,
    ) -> Result<(), InsertError> {
        self.write_chunk(transaction).await?;
        self.end_runs(transaction).await?;
        Ok(())
    }

    /// Whether a row comes after all of the open runs.
    fn is_above(&self, columns: &[ColumnRef], row: usize) -> bool {
        let writers = self.open.values().map(|(_, writer)| writer);
        let last = writers.filter_map(RunWriter::last_key).max();
        last.is_none_or(|last| last < self.key(columns, row).as_slice())
    }

    fn key(&self, columns: &[ColumnRef], row: usize) -> Vec<u8> {
        let mut key = Vec::new();
        self.tree.put_key(columns, row, &mut key);
        key
    }

    /// Sorts the collected rows and writes them.
    async fn write_chunk(&mut self, transaction: &mut Transaction) -> Result<(), InsertError> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let rows = ordinal(self.chunk.rows() as u64)?;
        let columns = self.chunk.take();
        let same = |SameKey(row)| duplicate(&self.tree, &columns, row);
        let order = sorted(&self.tree, &columns, rows).map_err(same)?;
        let least = order.first().map_or(0, |row| *row as usize);
        if !self.is_above(&columns, least) {
            self.end_runs(transaction).await?;
        }
        let in_order = |(at, column): (usize, &ColumnRef)| match self.tree.key().contains(&at) {
            true => Arc::new(column.take(&order)),
            false => Arc::clone(column),
        };
        let keys: Vec<ColumnRef> = columns.iter().enumerate().map(in_order).collect();
        self.check_new(transaction, &keys, 0..order.len()).await?;
        drop(keys);
        for rows in order.chunks(STEP_ROWS) {
            let columns = pick(&columns, rows);
            self.write(transaction, &columns, 0..rows.len()).await?;
        }
        drop(columns);
        self.chunk.clear();
        Ok(())
    }

    /// Refuses rows, which ascend, whose keys the table has or complete runs of this load.
    async fn check_new(
        &self,
        transaction: &mut Transaction,
        columns: &[ColumnRef],
        rows: Range<usize>,
    ) -> Result<(), InsertError> {
        // Whether an index is unique is seen when all of it is there.
        if self.tree.has_row_id() || self.tree.index().is_some() || rows.is_empty() {
            return Ok(());
        }
        let view = transaction.view(self.tree.schema().tree).await?;
        let (first, last) = (
            self.key(columns, rows.start),
            self.key(columns, rows.end - 1),
        );
        if !view.may_have_between(&first, &last) {
            return Ok(());
        }
        let mut start = rows.start;
        while start < rows.end {
            let end = rows.end.min(start + STEP_ROWS);
            let keys: Vec<Vec<u8>> = (start..end).map(|row| self.key(columns, row)).collect();
            let found = view.locate(&keys).await?;
            if let Some(at) = found.iter().position(Option::is_some) {
                return Err(duplicate(&self.tree, columns, start + at));
            }
            start = end;
        }
        Ok(())
    }

    /// Writes rows that ascend, from above the open runs on.
    async fn write(
        &mut self,
        transaction: &mut Transaction,
        columns: &[ColumnRef],
        rows: Range<usize>,
    ) -> Result<(), InsertError> {
        let mut pacer = Pacer::new(&transaction.store().env);
        let is_plain = self.tree.content().is_empty() && self.tree.kept_apart().is_none();
        let mut start = rows.start;
        while start < rows.end {
            if self.are_full() {
                self.end_runs(transaction).await?;
            }
            let end = rows.end.min(start + STEP_ROWS);
            if is_plain {
                let writer = self.writer(transaction, None).await?;
                let written = writer.append_range(columns, start, end);
                written.map_err(StoreError::from)?;
            } else {
                self.append_parts(transaction, columns, start..end, &mut pacer)
                    .await?;
            }
            for (run, writer) in self.open.values_mut() {
                paced_run::encode(writer, &mut pacer).await?;
                let values = writer.take_values();
                transaction.sink().put_values(*run, values).await?;
            }
            pacer.pause().await;
            start = end;
        }
        self.rows += rows.len() as u64;
        Ok(())
    }

    /// Adds rows to the runs of their partitions; large values leave them.
    async fn append_parts(
        &mut self,
        transaction: &mut Transaction,
        columns: &[ColumnRef],
        rows: Range<usize>,
        pacer: &mut Pacer,
    ) -> Result<()> {
        let part = columns.iter();
        let part = part.map(|column| Arc::new(column.slice(rows.start, rows.len())));
        let mut part: Vec<ColumnRef> = part.collect();
        let sink = transaction.sink();
        sink.refer(&self.tree, &mut part, &[], pacer).await?;
        for in_partition in self.tree.by_partition(&part) {
            let columns = in_partition.take(&part);
            let rows = columns.first().map_or(0, |column| column.len());
            let writer = self.writer(transaction, in_partition.number).await?;
            writer.append_range(&columns, 0, rows)?;
        }
        Ok(())
    }

    /// The writer of the run that takes rows of a partition.
    async fn writer(
        &mut self,
        transaction: &mut Transaction,
        partition: PartitionNumber,
    ) -> Result<&mut RunWriter> {
        if !self.open.contains_key(&partition) {
            let run = transaction.sink().new_run();
            let writer = transaction.store().lasting_run(&self.tree, run).await?;
            let parallel = transaction.store().env.parallel(None);
            self.open
                .insert(partition, (run, writer.with_parallel(parallel)));
        }
        let open = self.open.get_mut(&partition);
        Ok(open.map(|(_, writer)| writer).or_broken("open run")?)
    }

    /// Whether the open runs are to end before further rows come.
    fn are_full(&self) -> bool {
        are_full(self.open.values().map(|(_, writer)| writer), RUN_ROWS_MAX)
    }

    /// Completes the open runs, so that they can be read and will be published.
    async fn end_runs(&mut self, transaction: &mut Transaction) -> Result<()> {
        for (_, writer) in core::mem::take(&mut self.open).into_values() {
            let mut pacer = Pacer::new(&transaction.store().env);
            let mut finished = paced_run::finish(writer, &mut pacer).await?;
            let sink = transaction.sink();
            let content = sink.end_content().await?;
            sink.put_finished(&mut finished).await?;
            sink.write_pending().await?;
            self.bytes += finished.bytes;
            let last = finished.head.key_range().map(|(_, last)| last);
            let last = last.and_then(|last| greatest(&self.tree, last));
            self.greatest = self.greatest.max(last);
            let tree = self.tree.schema().tree;
            let run = Run::new(tree, Arc::new(finished.head), finished.bytes);
            if let Some(content) = content {
                transaction.add_content(content);
            }
            transaction.add_run(&self.tree, run);
        }
        Ok(())
    }
}

fn duplicate(tree: &Tree, columns: &[ColumnRef], row: usize) -> InsertError {
    let key = tree.key().iter().filter_map(|at| columns.get(*at));
    InsertError::Duplicate {
        index: None,
        key: key.map(|column| column.value(row)).collect(),
    }
}
