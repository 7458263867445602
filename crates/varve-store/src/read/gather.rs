//! Reads columns of chosen rows of a view, in the order in which the rows are asked for.

use std::sync::Arc;

use varve_run::RunHead;
use varve_types::{
    Batch, Broken, Column, ColumnBuilder, ColumnRef, Invariant, LocalFuture, LogicalType, Pacer,
    VECTOR_ROWS,
};

use crate::error::{Result, StoreError};
use crate::format::row::Projection;
use crate::memtable::{MemtableSlot, RowTable, builders, decode_version};
use crate::read::pages::PageSource;
use crate::read::resolve::{resolve, resolve_now};
use crate::read::run_content::{no_references, reference_position};
use crate::read::run_cursor::{missing_column, position_column, run_position};
use crate::read::{RunView, View};
use crate::write_set::RowRef;

/// Groups whose pages are read in one call.
const GROUPS_AT_ONCE: usize = 16;
/// Vectors that are read between two looks at the clock.
const VECTORS_AT_ONCE: usize = 8;

/// A row of a run that is wanted. They are sorted by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WantedRow {
    slot: u32,
    group: usize,
    vector: usize,
    position: u16,
    /// Its number in the request.
    request: usize,
}

/// Collects pieces of rows, then puts them into the order of the request.
struct Pieces {
    outputs: Vec<ColumnBuilder>,
    /// For each row of the request where it is in the outputs.
    order: Vec<u32>,
}

impl Pieces {
    fn place(&mut self, request: usize, row: usize) -> Result<(), Broken> {
        let slot = self.order.get_mut(request).or_broken("row of a request")?;
        *slot = u32::try_from(row).or_broken("place of a row")?;
        Ok(())
    }

    fn len(&self) -> usize {
        self.outputs.first().map_or(0, ColumnBuilder::len)
    }

    fn finish(self) -> Vec<ColumnRef> {
        let in_order = self.order.iter().zip(0..).all(|(at, i)| *at == i);
        let column = |output: ColumnBuilder| {
            let column = output.finish();
            Arc::new(if in_order && column.len() == self.order.len() {
                column
            } else {
                column.take(&self.order)
            })
        };
        self.outputs.into_iter().map(column).collect()
    }
}

impl View {
    /// Batches of at most 1,024 of the rows with these stored columns.
    pub(crate) async fn gather(
        &self,
        rows: &[RowRef],
        columns: &[usize],
        with_position: bool,
    ) -> Result<Vec<Batch>> {
        let mut batches = Vec::new();
        for rows in rows.chunks(VECTOR_ROWS) {
            let mut outputs = self.gather_vector(rows, columns).await?;
            if with_position {
                outputs.push(Arc::new(position_column(rows.iter().copied())));
            }
            batches.push(Batch::new(outputs, rows.len()));
        }
        Ok(batches)
    }

    /// Columns of one row, or `None` when pages must be read first.
    pub(crate) fn gather_now(
        &self,
        row: RowRef,
        columns: &[usize],
        source: &mut PageSource<'_>,
    ) -> Result<Option<Vec<ColumnRef>>> {
        let referring = self.referring(columns);
        let gathered = self.gather_stored_now(row, columns, &referring, source)?;
        if referring.is_empty() {
            return Ok(gathered);
        }
        let Some(mut outputs) = gathered else {
            return Ok(None);
        };
        let content = self.content();
        let references = outputs.split_off(columns.len());
        for (stored, references) in referring.iter().zip(&references) {
            for (_, output) in columns
                .iter()
                .zip(&mut outputs)
                .filter(|(at, _)| *at == stored)
            {
                match resolve_now(&content, output, references, source)? {
                    Some(resolved) => *output = resolved,
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(outputs))
    }

    /// The same as stored, then the references of the columns `referring`.
    pub(crate) fn gather_stored_now(
        &self,
        row: RowRef,
        columns: &[usize],
        referring: &[usize],
        source: &mut PageSource<'_>,
    ) -> Result<Option<Vec<ColumnRef>>> {
        let wanted = self.wanted(&[row])?;
        if wanted.is_empty() {
            let mut pieces = self.pieces(columns, referring, 1);
            self.gather_in_memory(&[row], columns, &mut pieces)?;
            return Ok(Some(pieces.finish()));
        }
        let gathered = self.gather_group(&wanted, columns, referring, source)?;
        let Some(vectors) = gathered else {
            return Ok(None);
        };
        let columns = vectors.into_iter().flatten().map(Arc::new);
        Ok(Some(columns.collect()))
    }

    fn pieces(&self, columns: &[usize], referring: &[usize], rows: usize) -> Pieces {
        let mut outputs = builders(&self.tree, columns, rows);
        let references = referring
            .iter()
            .map(|_| ColumnBuilder::new(LogicalType::Int8));
        outputs.extend(references);
        Pieces {
            outputs,
            order: vec![u32::MAX; rows],
        }
    }

    /// Columns of at most 1,024 rows.
    pub(crate) async fn gather_vector(
        &self,
        rows: &[RowRef],
        columns: &[usize],
    ) -> Result<Vec<ColumnRef>> {
        let referring = self.referring(columns);
        let outputs = self.gather_stored(rows, columns, &referring).await?;
        match referring.is_empty() {
            true => Ok(outputs),
            false => self.resolved(outputs, columns, &referring).await,
        }
    }

    /// Puts content in the place of the references that follow the columns. Boxed, so that what few
    /// reads need is code of its own.
    fn resolved<'a>(
        &'a self,
        mut outputs: Vec<ColumnRef>,
        columns: &'a [usize],
        referring: &'a [usize],
    ) -> LocalFuture<'a, Result<Vec<ColumnRef>>> {
        Box::pin(async move {
            let content = self.content();
            let references = outputs.split_off(columns.len());
            for (stored, references) in referring.iter().zip(&references) {
                let outputs = columns.iter().zip(&mut outputs);
                for (_, output) in outputs.filter(|(at, _)| *at == stored) {
                    *output = resolve(&content, output, references).await?;
                }
            }
            Ok(outputs)
        })
    }

    /// The same as stored, then the references of the columns `referring`.
    pub(crate) async fn gather_stored(
        &self,
        rows: &[RowRef],
        columns: &[usize],
        referring: &[usize],
    ) -> Result<Vec<ColumnRef>> {
        let mut pieces = self.pieces(columns, referring, rows.len());
        self.gather_in_memory(rows, columns, &mut pieces)?;
        let wanted = self.wanted(rows)?;
        let part = |row: &WantedRow| (row.slot, row.group, row.vector / VECTORS_AT_ONCE);
        let mut groups: Vec<&[WantedRow]> = wanted.chunk_by(|a, b| part(a) == part(b)).collect();
        let mut source = PageSource::new(&self.snapshot.store, self.id());
        let mut pacer = Pacer::new(&self.snapshot.store.env);
        for some in groups.chunks_mut(GROUPS_AT_ONCE) {
            loop {
                for rows in some.iter_mut().filter(|rows| !rows.is_empty()) {
                    pacer.pause().await;
                    let gathered = self.gather_group(rows, columns, referring, &mut source)?;
                    if let Some(vectors) = gathered {
                        append(&mut pieces, rows, &vectors)?;
                        *rows = &[];
                    }
                }
                if source.is_complete() {
                    break;
                }
                source.fetch().await?;
            }
            source.forget();
        }
        Ok(pieces.finish())
    }

    /// Those of the rows that are in runs, by place.
    fn wanted(&self, rows: &[RowRef]) -> Result<Vec<WantedRow>> {
        let mut wanted = Vec::new();
        for (request, row) in rows.iter().enumerate() {
            if let RowRef::Run { slot, ordinal } = *row {
                let head = self.run(slot)?.run.head()?;
                let place = head.locate(u64::from(ordinal)).ok_or_else(no_such_row)?;
                wanted.push(WantedRow {
                    slot,
                    group: place.group,
                    vector: place.vector,
                    position: place.position,
                    request,
                });
            }
        }
        wanted.sort_unstable();
        Ok(wanted)
    }

    /// By vector of one group the columns of its wanted rows and the references of the columns
    /// `referring`, or `None` when pages must be read first. A row that is wanted twice is in them
    /// once.
    fn gather_group(
        &self,
        rows: &[WantedRow],
        columns: &[usize],
        referring: &[usize],
        source: &mut PageSource<'_>,
    ) -> Result<Option<Vec<Vec<Column>>>> {
        let Some(first) = rows.first() else {
            return Ok(Some(Vec::new()));
        };
        let run = self.run(first.slot)?;
        let head = run.run.head()?;
        let position = |stored: &usize| run_position(&self.tree, head, *stored);
        let reference = |stored: &usize| reference_position(&self.tree, head, *stored);
        let groups = &self.snapshot.store.groups;
        let parts = groups.parts(head, first.group);
        let parts = parts.map_err(|error| run.run.place_error(error))?;
        let is_kept = |column: &usize| rows.iter().all(|row| parts.is_kept(*column, row.vector));
        let stored = columns.iter().filter_map(position);
        let stored = stored.chain(referring.iter().filter_map(reference));
        let needed: Vec<usize> = stored.filter(|column| !is_kept(column)).collect();
        let Some(reader) = source.reader(head, first.group, &needed, &parts) else {
            return Ok(None);
        };
        let mut vectors = Vec::new();
        for rows in rows.chunk_by(|a, b| a.vector == b.vector) {
            let vector = rows.first().map_or(0, |row| row.vector);
            let mut chosen: Vec<u16> = rows.iter().map(|row| row.position).collect();
            chosen.dedup();
            let gathered = columns.iter().map(|stored| match position(stored) {
                Some(position) => reader.gather(position, vector, &chosen),
                None => Ok(missing_column(&self.tree, *stored, chosen.len())),
            });
            let references = referring.iter().map(|stored| match reference(stored) {
                Some(position) => reader.gather(position, vector, &chosen),
                None => Ok(no_references(chosen.len())),
            });
            let gathered = gathered.chain(references);
            let gathered: Result<Vec<Column>, _> = gathered.collect();
            vectors.push(gathered.map_err(|error| run.run.place_error(error))?);
        }
        groups.book(head.run(), first.group, &parts);
        Ok(Some(vectors))
    }

    /// The run at a slot of the view.
    pub(crate) fn run(&self, slot: u32) -> Result<&RunView> {
        self.runs.get(slot as usize).ok_or_else(no_such_row)
    }

    fn gather_in_memory(
        &self,
        rows: &[RowRef],
        columns: &[usize],
        pieces: &mut Pieces,
    ) -> Result<()> {
        let projection = Projection::new(columns, self.tree.types().len());
        let mut read = |table: &RowTable, wanted: &dyn Fn(&RowRef) -> Option<u32>| {
            for (request, row) in rows.iter().enumerate() {
                let Some(version) = wanted(row) else {
                    continue;
                };
                table.version(version).ok_or_else(no_such_row)?;
                let at = pieces.len();
                let (outputs, references) = pieces.outputs.split_at_mut(columns.len());
                decode_version(table, &self.tree, version, &projection, outputs)?;
                references.iter_mut().for_each(ColumnBuilder::push_null);
                pieces.place(request, at)?;
            }
            Ok::<(), StoreError>(())
        };
        for from in MemtableSlot::ALL {
            let memtable = self.with_memtable(from, |table, _| {
                read(table, &|row| match row {
                    RowRef::Memtable { slot, version } if *slot == from => Some(*version),
                    _ => None,
                })
            });
            memtable.transpose()?;
        }
        let own = self.with_own_rows(|table| {
            read(table, &|row| match row {
                RowRef::WriteSet(version) => Some(*version),
                _ => None,
            })
        });
        own.transpose()?;
        Ok(())
    }

    /// Whether the positions name rows that this view could have given.
    pub(crate) fn check_positions(&self, rows: &[RowRef]) -> Result<()> {
        let versions = MemtableSlot::ALL.map(|slot| {
            let versions = self.with_memtable(slot, |table, _| table.versions());
            (slot, versions.unwrap_or(0))
        });
        let own_versions = self.with_own_rows(RowTable::versions).unwrap_or(0);
        for row in rows {
            let exists = match *row {
                RowRef::Memtable { slot, version } => versions
                    .iter()
                    .any(|(of, versions)| *of == slot && (version as usize) < *versions),
                RowRef::WriteSet(version) => (version as usize) < own_versions,
                RowRef::Run { slot, ordinal } => {
                    u64::from(ordinal) < self.run(slot)?.run.head().map(|head| rows_of(head))?
                }
            };
            if !exists {
                return Err(no_such_row());
            }
        }
        Ok(())
    }
}

/// Adds gathered rows of a group to the pieces.
fn append(pieces: &mut Pieces, rows: &[WantedRow], vectors: &[Vec<Column>]) -> Result<(), Broken> {
    let vectors_of_rows = rows.chunk_by(|a, b| a.vector == b.vector);
    for (rows, columns) in vectors_of_rows.zip(vectors) {
        let before = pieces.len();
        for (output, column) in pieces.outputs.iter_mut().zip(columns) {
            output.append(column);
        }
        let different = rows.chunk_by(|a, b| a.position == b.position);
        for (same, at) in different.zip(before..) {
            for row in same {
                pieces.place(row.request, at)?;
            }
        }
    }
    Ok(())
}

fn rows_of(head: &RunHead) -> u64 {
    head.rows()
}

fn no_such_row() -> StoreError {
    StoreError::internal("a row position is not of this transaction")
}
