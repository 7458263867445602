//! The runs that a merge writes, one for each partition of a tree.

use std::sync::Arc;

use varve_run::RunWriter;
use varve_sort::VecMap;
use varve_types::{
    Batch, Column, ColumnBuilder, ColumnData, ColumnRef, Invariant, LocalFuture, LogicalType,
    Pacer, Parallel, RunId,
};

use crate::compaction::merge::{MergeRule, Source};
use crate::error::{Result, StoreError};
use crate::paced_run;
use crate::partition::{HELD_BYTES_MAX, OPEN_RUNS_MAX, PartitionNumber};
use crate::read::{Unresolved, View, ordinal};
use crate::run::Run;
use crate::store::{PageSink, Store};
use crate::tree::Tree;
use crate::value_frames::ValueFramesByColumn;

/// A run is ended at this many rows, so that maps of rows stay small.
const RUN_ROWS_MAX: u64 = 1 << 24;

/// Rows of one vector that go over together.
pub(super) struct Piece {
    columns: Vec<ColumnRef>,
    rows: Vec<u32>,
}

/// The runs being written.
pub(super) struct Output<'a> {
    pub(super) store: &'a Arc<Store>,
    pub(super) tree: &'a Tree,
    pub(super) rule: MergeRule,
    pub(super) sink: &'a mut PageSink,
    pub(super) output_bytes: u64,
    pub(super) group_bytes: Option<usize>,
    pub(super) frames: &'a ValueFramesByColumn,
    pub(super) parallel: Option<Arc<dyn Parallel>>,
    pub(super) open: VecMap<PartitionNumber, OpenRun>,
    /// The number of the next run.
    pub(super) opened: u32,
    pub(super) pacer: Pacer,
    pub(super) pieces: Vec<Piece>,
    pub(super) pieces_rows: usize,
    /// Of an index what the pieces' entries tell of themselves.
    pub(super) entries: Vec<i64>,
    /// The runs that have ended, by number.
    pub(super) finished: VecMap<u32, Arc<Run>>,
    /// The stored columns after which references come in the pieces.
    pub(super) referring: Vec<usize>,
    /// What the references of inputs lead to, where outputs are to hold the values.
    pub(super) resolved: Option<View>,
}

/// A run that takes rows of one partition.
pub(super) struct OpenRun {
    number: u32,
    id: RunId,
    /// The ordinal of the next row of the pieces.
    next: u32,
    /// Once rows are written.
    writer: Option<RunWriter>,
}

impl Output<'_> {
    /// Takes the next rows of a source.
    pub(super) fn take(&mut self, source: &mut Source, rows: usize) -> Result<()> {
        let Some(vector) = &source.vector else {
            return Ok(());
        };
        let taken = vector.rows.iter().skip(source.at).take(rows).copied();
        let mut taken: Vec<u32> = taken.collect();
        if let MergeRule::Index { column, settled } = self.rule {
            let mut at = source.at;
            source.at += taken.len();
            let settled = ((settled.0 << 1) | 1).cast_signed();
            taken.retain(|_| {
                let entry = source.entry(column, at);
                at += 1;
                let (is_settled, is_deleted) = (entry <= settled, entry & 1 == 1);
                let kept = !(is_settled && is_deleted);
                if kept {
                    self.entries.push(if is_settled { 0 } else { entry });
                }
                kept
            });
            self.add_piece(source, taken);
            return Ok(());
        }
        self.note_places(source, &taken)?;
        source.at += taken.len();
        self.add_piece(source, taken);
        Ok(())
    }

    fn add_piece(&mut self, source: &Source, rows: Vec<u32>) {
        self.pieces_rows += rows.len();
        let columns = source.vector.as_ref().map(|vector| vector.columns.clone());
        self.pieces.push(Piece {
            columns: columns.unwrap_or_default(),
            rows,
        });
    }

    /// Notes where the next rows of a source will be.
    fn note_places(&mut self, source: &mut Source, rows: &[u32]) -> Result<()> {
        let first_row = source.vector.as_ref().map_or(0, |vector| vector.first_row);
        let mut rest = rows;
        while let Some(first) = rest.first() {
            // Rows that follow each other in one partition do so in the output too.
            let partition = source.partition(*first);
            let together = rest.iter().zip(*first..);
            let together = together
                .take_while(|(row, next)| *row == next && source.partition(**row) == partition);
            let (stretch, later) = rest.split_at(together.count().max(1));
            let count = ordinal(stretch.len() as u64)?;
            let run = self.run(partition);
            let next = run.next.checked_add(count).filter(|next| *next != u32::MAX);
            let (number, row) = (run.number, run.next);
            run.next = next.ok_or_else(|| StoreError::internal("a run has too many rows"))?;
            source.forward.push(first_row + first, number, row, count)?;
            rest = later;
        }
        Ok(())
    }

    /// The run that takes the rows of a partition.
    fn run(&mut self, partition: PartitionNumber) -> &mut OpenRun {
        let (sink, opened) = (&mut *self.sink, &mut self.opened);
        self.open.entry(partition).or_insert_with(|| {
            let number = *opened;
            *opened += 1;
            OpenRun {
                number,
                id: sink.new_run(),
                next: 0,
                writer: None,
            }
        })
    }

    /// Whether what was taken so far can stay, and what is left in its input: it has groups, and
    /// ends with one.
    pub(super) fn may_end(&self, sources: &[Source]) -> bool {
        let mut open = self.open.values().filter_map(|run| run.writer.as_ref());
        let has_groups = !self.finished.is_empty() || open.any(|writer| writer.value_bytes() > 0);
        let is_table = self.rule == MergeRule::Table;
        is_table && sources.len() == 1 && self.pieces.is_empty() && has_groups
    }

    pub(super) async fn write_pieces(&mut self) -> Result<()> {
        let pieces = core::mem::take(&mut self.pieces);
        let rows = core::mem::take(&mut self.pieces_rows);
        if rows == 0 {
            return Ok(());
        }
        let mut columns = match pieces.as_slice() {
            [piece] if piece.columns.iter().all(|column| column.len() == rows) => {
                piece.columns.clone()
            }
            pieces => self.gather(pieces, rows),
        };
        if let MergeRule::Index { column, .. } = self.rule {
            let entries = ColumnData::Int64(core::mem::take(&mut self.entries));
            let entries = Column::plain(LogicalType::Int8, entries, None);
            let slot = columns.get_mut(column).zip(entries);
            let (slot, entries) = slot.ok_or_else(|| StoreError::internal("index entries"))?;
            *slot = Arc::new(entries);
        }
        if self.referring.is_empty() {
            self.write_rows(Batch::new(columns, rows)).await?;
        } else {
            self.write_referring(columns, rows).await?;
        }
        self.finish_full().await
    }

    /// Ends the runs that are full; all of them, where they take too much together.
    async fn finish_full(&mut self) -> Result<()> {
        let writers = self.open.values().filter_map(|run| run.writer.as_ref());
        let held_bytes = writers.map(RunWriter::held_bytes).sum::<usize>();
        let is_one = self.open.len() == 1;
        if !is_one && (self.open.len() > OPEN_RUNS_MAX || held_bytes > HELD_BYTES_MAX) {
            return self.finish_runs().await;
        }
        let is_full = |run: &OpenRun| {
            run.writer.as_ref().is_some_and(|writer| {
                writer.value_bytes() >= self.output_bytes || writer.rows() >= RUN_ROWS_MAX
            })
        };
        let full = self.open.iter().filter(|(_, run)| is_full(run));
        let full: Vec<PartitionNumber> = full.map(|(partition, _)| *partition).collect();
        for partition in full {
            if let Some(run) = self.open.remove(&partition) {
                self.finish_run(run).await?;
            }
        }
        Ok(())
    }

    /// Writes rows whose columns are followed by references: content comes back to the rows of
    /// columns that are not content-addressed any more, and large values of those that are leave.
    fn write_referring(
        &mut self,
        columns: Vec<ColumnRef>,
        rows: usize,
    ) -> LocalFuture<'_, Result<()>> {
        Box::pin(self.write_parts(columns, rows))
    }

    async fn write_parts(&mut self, mut columns: Vec<ColumnRef>, rows: usize) -> Result<()> {
        let references = columns.split_off(self.tree.types().len());
        let (mut given, mut back) = (Vec::new(), Vec::new());
        for (stored, references) in self.referring.iter().zip(references) {
            match self.tree.content().contains(stored) {
                true => given.push(references),
                false => back.push((*stored, references)),
            }
        }
        let given_columns = columns.len();
        columns.extend(given);
        let mut parts = Unresolved::new(columns, back, rows);
        let content = self.resolved.take();
        loop {
            let part = match &content {
                Some(content) => parts.next(content).await?,
                None => parts.rest(),
            };
            let Some((_, part)) = part else {
                break;
            };
            let mut columns = part.physical_columns().to_vec();
            let given = columns.split_off(given_columns);
            self.sink
                .refer(self.tree, &mut columns, &given, &mut self.pacer)
                .await?;
            self.write_rows(Batch::new(columns, part.rows())).await?;
        }
        self.resolved = content;
        Ok(())
    }

    async fn write_rows(&mut self, batch: Batch) -> Result<()> {
        let columns = batch.physical_columns();
        for part in self.tree.by_partition(columns) {
            let columns = part.take(columns);
            let rows = columns.first().map_or(0, |column| column.len());
            self.write_part(part.number, Batch::new(columns, rows))
                .await?;
        }
        Ok(())
    }

    async fn write_part(&mut self, partition: PartitionNumber, batch: Batch) -> Result<()> {
        let id = self.run(partition).id;
        let mut writer = match self.run(partition).writer.take() {
            Some(writer) => writer,
            None => self.new_writer(id).await?,
        };
        writer.append(&batch)?;
        paced_run::encode(&mut writer, &mut self.pacer).await?;
        self.sink.put_values(id, writer.take_values()).await?;
        self.run(partition).writer = Some(writer);
        Ok(())
    }

    async fn new_writer(&self, run: RunId) -> Result<RunWriter> {
        let writer = self.store.lasting_run(self.tree, run).await?;
        let writer = writer.with_value_frames(self.frames);
        let writer = writer.with_parallel(self.parallel.clone());
        Ok(match self.group_bytes {
            Some(bytes) => writer.with_group_bytes(bytes),
            None => writer,
        })
    }

    fn gather(&self, pieces: &[Piece], rows: usize) -> Vec<ColumnRef> {
        let column = |(at, ty): (usize, &LogicalType)| {
            let mut builder = ColumnBuilder::with_capacity(*ty, rows);
            for piece in pieces {
                if let Some(column) = piece.columns.get(at) {
                    builder.append_rows(column, &piece.rows);
                }
            }
            Arc::new(builder.finish())
        };
        let references = self.referring.iter().map(|_| &LogicalType::Int8);
        let types = self.tree.types().iter().chain(references);
        types.enumerate().map(column).collect()
    }

    /// Ends all runs.
    pub(super) async fn finish_runs(&mut self) -> Result<()> {
        for run in core::mem::take(&mut self.open).into_values() {
            self.finish_run(run).await?;
        }
        Ok(())
    }

    async fn finish_run(&mut self, open: OpenRun) -> Result<()> {
        let writer = open.writer.or_broken("writer of a run")?;
        let mut finished = paced_run::finish(writer, &mut self.pacer).await?;
        self.sink.put_finished(&mut finished).await?;
        let tree = self.tree.schema().tree;
        let run = Run::new(tree, Arc::new(finished.head), finished.bytes);
        self.finished.insert(open.number, Arc::new(run));
        Ok(())
    }
}
