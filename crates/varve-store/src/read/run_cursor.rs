//! Streams the rows of one run: groups by key range, vectors by zone map, then rows by value.

use std::collections::VecDeque;
use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_run::{GroupParts, GroupReader, RunError, RunHead, VectorFilter};
use varve_sort::VecSet;
use varve_types::{
    Batch, Column, ColumnRef, Cutoff, Invariant, KeyRange, LogicalType, Pacer, ScanSpec, Selection,
    Summary, VECTOR_ROWS,
};

use crate::error::{Result, StoreError};
use crate::read::pages::{column_pages, group_reader};
use crate::read::part::Part;
use crate::read::prune::Tests;
use crate::read::resolve::Unresolved;
use crate::read::run_content::reference_position;
use crate::read::{RunView, View};
use crate::store::Store;
use crate::tree::Tree;
use crate::write_set::RowRef;

/// A scan, resolved against the columns that its tree stores.
pub(crate) struct ResolvedScan {
    pub(crate) spec: ScanSpec,
    pub(crate) tree: Arc<Tree>,
    /// Stored columns, in the order of the output.
    pub(crate) outputs: Vec<usize>,
    pub(crate) tests: Tests,
    /// Of each test what answers it on encoded vectors.
    pub(crate) filters: Vec<Option<VectorFilter>>,
    pub(crate) seq: varve_types::CommitSeq,
    /// A part of the wanted range that also holds all rows that pass the tests.
    pub(crate) tested_range: KeyRange,
    /// Most rows that a table in memory gives at once.
    pub(crate) chunk_rows_max: usize,
    /// The content to which rows refer, if any does.
    pub(crate) content: Option<View>,
    /// What leaves out rows while the scan runs, with the stored column.
    pub(crate) cutoff: Option<(usize, Arc<Cutoff>)>,
}

/// Goes through the groups of a run.
pub(crate) struct RunCursor {
    slot: u32,
    pub(super) view: RunView,
    pub(super) head: Arc<RunHead>,
    groups: core::ops::Range<usize>,
    pub(super) group: Option<OpenGroup>,
    /// What zone maps told of rows in place of reading them.
    pub(super) known: Summary,
    /// Rows of the vector read last, in whose columns references still are to be resolved.
    unresolved: Option<Box<Unresolved>>,
}

pub(super) struct OpenGroup {
    group: usize,
    first_row: u32,
    /// Vectors still to read, in the order of reading.
    vectors: VecDeque<Part>,
    /// Where they are cut off: zone maps that tell which still are wanted.
    pub(super) zones: Option<Arc<GroupParts>>,
    dead: RoaringBitmap,
    /// Has the columns that are tested; all that are wanted where nothing is tested.
    pub(super) tested: GroupReader,
    /// Has the columns of the output, once a row passed.
    outputs: Option<GroupReader>,
}

/// The rows of a vector that passed the tests of a scan.
struct TestedVector {
    vector: usize,
    rows: usize,
    /// The ordinal of its first row.
    first: u32,
    /// All rows where there is no selection.
    chosen: Option<Selection>,
    /// Columns that the tests decoded, by their stored place.
    decoded: Vec<(usize, ColumnRef)>,
}

impl RunCursor {
    pub(crate) fn new(slot: u32, view: RunView, resolved: &ResolvedScan) -> Result<RunCursor> {
        let head = Arc::clone(view.run.head()?);
        let KeyRange { from, to } = &resolved.tested_range;
        let first = from.as_ref().map_or(0, |key| head.first_group_from(key));
        let groups = head.groups();
        let end = to.as_ref().map_or(groups.len(), |key| {
            groups.partition_point(|group| group.first_key < *key)
        });
        let tests = resolved
            .tests
            .of_run(|stored| run_position(&resolved.tree, &head, stored));
        let end = if tests.may_match_run(&head) { end } else { 0 };
        Ok(RunCursor {
            slot,
            head,
            view,
            groups: first..end,
            group: None,
            known: Summary::default(),
            unresolved: None,
        })
    }

    /// The next rows that pass, at most a vector; `None` at the end of the run.
    pub(crate) async fn next(
        &mut self,
        store: &Store,
        resolved: &ResolvedScan,
        pacer: &mut Pacer,
    ) -> Result<Option<Batch>> {
        loop {
            pacer.pause().await;
            if let Some(unresolved) = &mut self.unresolved {
                let content = resolved.content.as_ref().or_broken("content of a scan")?;
                if let Some((_, batch)) = unresolved.next(content).await? {
                    return Ok(Some(batch));
                }
                self.unresolved = None;
            }
            let Some(open) = &mut self.group else {
                if !self.open_next_group(store, resolved, pacer).await? {
                    return Ok(None);
                }
                continue;
            };
            let Some(part) = open.vectors.pop_front() else {
                self.group = None;
                continue;
            };
            if self.is_cut_off(resolved, part) {
                continue;
            }
            if let Some(batch) = self.read_vector(store, resolved, part).await? {
                match self.unresolved(resolved, &batch) {
                    None => return Ok(Some(batch)),
                    unresolved => self.unresolved = unresolved,
                }
            }
        }
    }

    /// Opens the next group that may hold rows that pass; false at the end of the run. Of a group
    /// without such vectors no page of a column is read.
    async fn open_next_group(
        &mut self,
        store: &Store,
        resolved: &ResolvedScan,
        pacer: &mut Pacer,
    ) -> Result<bool> {
        let tests = resolved
            .tests
            .of_run(|stored| self.position(resolved, stored));
        loop {
            pacer.pause().await;
            let Some(group) = self.next_group(reads_backwards(resolved)) else {
                return Ok(false);
            };
            let Some(info) = self.head.groups().get(group) else {
                continue;
            };
            if self.is_run_cut_off(resolved) {
                return Ok(false);
            }
            if !tests.may_match_group(&self.head, info) {
                continue;
            }
            let first_row = ordinal(info.first_row)?;
            let end = ordinal(info.first_row + u64::from(info.rows))?;
            let dead = self.view.dead(first_row, end, resolved.seq);
            if dead.len() == u64::from(info.rows) {
                continue;
            }
            let rows = (first_row, &dead);
            let (mut vectors, zones) = self.vectors(store, resolved, group, &tests, rows).await?;
            if vectors.is_empty() {
                continue;
            }
            if resolved.spec.reverse {
                vectors.make_contiguous().reverse();
            }
            let tested = tested_columns(resolved);
            let reader = self.reader(store, resolved, group, &tested).await?;
            self.group = Some(OpenGroup {
                group,
                first_row,
                vectors,
                zones,
                dead,
                tested: reader,
                outputs: None,
            });
            return Ok(true);
        }
    }

    fn next_group(&mut self, reverse: bool) -> Option<usize> {
        match reverse {
            true => self.groups.next_back(),
            false => self.groups.next(),
        }
    }

    async fn read_vector(
        &mut self,
        store: &Store,
        resolved: &ResolvedScan,
        part: Part,
    ) -> Result<Option<Batch>> {
        let Some(tested) = self.test_vector(store, resolved, part).await? else {
            return Ok(None);
        };
        let Some(open) = &self.group else {
            return Ok(None);
        };
        if !resolved.tests.0.is_empty() && open.outputs.is_none() {
            let reader = self
                .reader(store, resolved, open.group, &resolved.outputs)
                .await?;
            if let Some(open) = &mut self.group {
                open.outputs = Some(reader);
            }
        }
        let batch = self.output(store, resolved, tested)?;
        Ok(Some(if resolved.spec.reverse {
            reversed(&batch)
        } else {
            batch
        }))
    }

    /// The living rows of a vector that pass all tests, unless there are none.
    async fn test_vector(
        &self,
        store: &Store,
        resolved: &ResolvedScan,
        Part { vector, is_edge }: Part,
    ) -> Result<Option<TestedVector>> {
        let Some(open) = &self.group else {
            return Ok(None);
        };
        let info = self.head.groups().get(open.group);
        let rows = info.map_or(0, |info| info.vector_rows(vector));
        let first = open.first_row + ordinal((vector * VECTOR_ROWS) as u64)?;
        let mut chosen = live(&open.dead, first, rows)?;
        if is_edge {
            let within = self
                .rows_within(store, resolved, open.group, vector)
                .await?;
            chosen = Some(intersect(chosen, Selection::new(within.collect())));
        }
        let mut decoded: Vec<(usize, ColumnRef)> = Vec::new();
        for ((stored, test), filter) in resolved.tests.0.iter().zip(&resolved.filters) {
            if chosen.as_ref().is_some_and(Selection::is_empty) {
                return Ok(None);
            }
            if let Some(reference) = self.tested_reference(resolved, (*stored, test)) {
                let rows = chosen.unwrap_or_else(|| Selection::all(rows));
                let passing = self.test_content(resolved, reference, (*stored, test), vector, rows);
                chosen = Some(passing.await?);
                continue;
            }
            let known = decoded.iter().find(|(column, _)| column == stored);
            let passing = match (known, filter) {
                (Some((_, column)), _) => Some(test.select(column)),
                (None, Some(filter)) => {
                    let passing = self.filter(resolved, &open.tested, *stored, vector, filter)?;
                    store.count_vectors(u64::from(passing.is_some()));
                    passing
                }
                (None, None) => None,
            };
            let passing = match passing {
                Some(passing) => passing,
                None => {
                    let column = self.column(resolved, &open.tested, *stored, vector, rows)?;
                    store.count_vectors(1);
                    let passing = test.select(&column);
                    decoded.push((*stored, column));
                    passing
                }
            };
            chosen = Some(intersect(chosen, passing));
        }
        if chosen.as_ref().is_some_and(Selection::is_empty) {
            return Ok(None);
        }
        Ok(Some(TestedVector {
            vector,
            rows,
            first,
            chosen,
            decoded,
        }))
    }

    /// The columns of the output, of the rows that passed.
    fn output(
        &self,
        store: &Store,
        resolved: &ResolvedScan,
        tested: TestedVector,
    ) -> Result<Batch> {
        let TestedVector {
            vector,
            rows,
            first,
            chosen,
            decoded,
        } = tested;
        let open = self.group.as_ref().or_broken("group of a scan")?;
        let reader = open.outputs.as_ref().unwrap_or(&open.tested);
        let kept = chosen.filter(|chosen| chosen.len() < rows);
        // Few rows are gathered one by one; else the whole vector is decoded and a selection laid
        // on it.
        let gathered = kept
            .as_ref()
            .filter(|kept| resolved.spec.reverse || kept.len() * 4 < rows);
        let mut columns = Vec::with_capacity(resolved.outputs.len() + 1);
        for stored in &resolved.outputs {
            let whole = decoded.iter().find(|(column, _)| column == stored);
            store.count_vectors(u64::from(whole.is_none()));
            columns.push(match (whole, gathered) {
                (Some((_, column)), None) => Arc::clone(column),
                (Some((_, column)), Some(kept)) => Arc::new(column.take(kept.rows())),
                (None, None) => self.column(resolved, reader, *stored, vector, rows)?,
                (None, Some(kept)) => self.gather(resolved, reader, *stored, vector, kept)?,
            });
        }
        if resolved.spec.with_position {
            let ordinals: Vec<u32> = match gathered {
                Some(kept) => kept.rows().iter().map(|row| first + row).collect(),
                None => (first..).take(rows).collect(),
            };
            columns.push(Arc::new(self.positions(&ordinals)));
        }
        for (_, position) in self.referring(resolved) {
            let references = match gathered {
                Some(kept) => gathered_column(reader, position, vector, kept),
                None => reader.column(position, vector),
            };
            let references = references.map_err(|error| self.view.run.place_error(error))?;
            columns.push(Arc::new(references));
        }
        store.book(reader);
        Ok(match (gathered, &kept) {
            (Some(kept), _) => Batch::new(columns, kept.len()),
            (None, Some(kept)) => Batch::new(columns, rows).select(kept),
            (None, None) => Batch::new(columns, rows),
        })
    }

    /// The rows of a vector whose keys are in the range.
    async fn rows_within(
        &self,
        store: &Store,
        resolved: &ResolvedScan,
        group: usize,
        vector: usize,
    ) -> Result<core::ops::Range<u32>> {
        let wanted = column_pages(&self.head, group, self.head.key_columns());
        let pages = store.read_pages(self.view.run.tree, wanted).await?;
        let reader = group_reader(store, &self.head, group, &pages)?;
        let row = |key: &[u8]| match reader.search(vector, key) {
            Ok(Ok(row) | Err(row)) => Ok(u32::from(row)),
            Err(error) => Err(self.view.run.place_error(error)),
        };
        let rows = self.head.groups().get(group);
        let rows = rows.map_or(0, |info| info.vector_rows(vector));
        let from = resolved.spec.range.from.as_deref().map_or(Ok(0), row)?;
        let to = resolved.spec.range.to.as_deref().map(row).transpose()?;
        store.book(&reader);
        Ok(from..to.unwrap_or(ordinal(rows as u64)?))
    }

    /// Where this run keeps a stored column.
    pub(super) fn position(&self, resolved: &ResolvedScan, stored: usize) -> Option<usize> {
        run_position(&resolved.tree, &self.head, stored)
    }

    /// The parts of a group, its index among them.
    pub(super) async fn index(&self, store: &Store, group: usize) -> Result<Arc<GroupParts>> {
        let place = |error| self.view.run.place_error(error);
        let parts = store.groups.parts(&self.head, group).map_err(place)?;
        if parts.index().is_none() {
            let number = self.head.index_value_for(group);
            let number = number.or_broken("index of a group")?;
            let page = (self.head.run(), number);
            let pages = store
                .read_pages(self.view.run.tree, VecSet::from_iter([page]))
                .await?;
            let value = pages
                .get(&page)
                .ok_or_else(|| StoreError::internal("page not at hand"))?;
            parts.read_index(&self.head, group, value).map_err(place)?;
            store.groups.book(self.head.run(), group, &parts);
        }
        Ok(parts)
    }

    async fn reader(
        &self,
        store: &Store,
        resolved: &ResolvedScan,
        group: usize,
        stored: &[usize],
    ) -> Result<GroupReader> {
        let mut columns: Vec<usize> = stored
            .iter()
            .filter_map(|stored| self.position(resolved, *stored))
            .collect();
        if self.view.run.refers {
            let reference =
                |stored: &usize| reference_position(&resolved.tree, &self.head, *stored);
            columns.extend(stored.iter().filter_map(reference));
        }
        let wanted = column_pages(&self.head, group, &columns);
        let pages = store.read_pages(self.view.run.tree, wanted).await?;
        group_reader(store, &self.head, group, &pages)
    }

    /// The rows that pass, where the encoded vector tells.
    fn filter(
        &self,
        resolved: &ResolvedScan,
        reader: &GroupReader,
        stored: usize,
        vector: usize,
        filter: &VectorFilter,
    ) -> Result<Option<Selection>> {
        let Some(column) = self.position(resolved, stored) else {
            return Ok(None);
        };
        let passing = reader.filter(column, vector, filter);
        passing.map_err(|error| self.view.run.place_error(error))
    }

    fn column(
        &self,
        resolved: &ResolvedScan,
        reader: &GroupReader,
        stored: usize,
        vector: usize,
        rows: usize,
    ) -> Result<ColumnRef> {
        let column = match self.position(resolved, stored) {
            Some(column) => reader.column(column, vector),
            None => Ok(missing_column(&resolved.tree, stored, rows)),
        };
        let column = column.map_err(|error| self.view.run.place_error(error))?;
        Ok(Arc::new(column))
    }

    fn gather(
        &self,
        resolved: &ResolvedScan,
        reader: &GroupReader,
        stored: usize,
        vector: usize,
        kept: &Selection,
    ) -> Result<ColumnRef> {
        let column = match self.position(resolved, stored) {
            Some(column) => gathered_column(reader, column, vector, kept),
            None => Ok(missing_column(&resolved.tree, stored, kept.len())),
        };
        let column = column.map_err(|error| self.view.run.place_error(error))?;
        Ok(Arc::new(column))
    }

    fn positions(&self, ordinals: &[u32]) -> Column {
        let slot = self.slot;
        let rows = ordinals.iter().map(|ordinal| RowRef::Run {
            slot,
            ordinal: *ordinal,
        });
        position_column(rows)
    }
}

/// Whether the last group of a run is read first: where it is asked for, or may have the first
/// rows.
fn reads_backwards(resolved: &ResolvedScan) -> bool {
    let cutoff = resolved.cutoff.as_ref();
    resolved.spec.reverse || cutoff.is_some_and(|(_, cutoff)| cutoff.descending)
}

fn gathered_column(
    reader: &GroupReader,
    column: usize,
    vector: usize,
    kept: &Selection,
) -> core::result::Result<Column, RunError> {
    let rows = kept.rows().iter();
    let positions: Vec<u16> = rows.filter_map(|row| u16::try_from(*row).ok()).collect();
    reader.gather(column, vector, &positions)
}

/// Where a run keeps a stored column; `None` where the run is older than the column.
pub(crate) fn run_position(tree: &Tree, head: &RunHead, stored: usize) -> Option<usize> {
    head.column_position(tree.columns().get(stored)?.id)
}

/// The stored columns that are read first: those of the tests, or all where there is none.
fn tested_columns(resolved: &ResolvedScan) -> Vec<usize> {
    match resolved.tests.0.as_slice() {
        [] => resolved.outputs.clone(),
        tests => tests.iter().map(|(stored, _)| *stored).collect(),
    }
}

/// What a run without the column reads.
pub(crate) fn missing_column(tree: &Tree, stored: usize, rows: usize) -> Column {
    let ty = tree.types().get(stored).copied();
    let ty = ty.unwrap_or(LogicalType::Int8);
    Column::constant(ty, &tree.missing(stored), rows)
}

/// Positions as a BIGINT column, bit for bit.
pub(crate) fn position_column(rows: impl Iterator<Item = RowRef>) -> Column {
    let mut builder = varve_types::ColumnBuilder::new(LogicalType::Int8);
    for row in rows {
        builder.push(&varve_types::Value::Int8(row.pack().0.cast_signed()));
    }
    builder.finish()
}

/// The chosen rows in reverse order.
pub(crate) fn reversed(batch: &Batch) -> Batch {
    let batch = batch.compact();
    let rows = batch.rows();
    let order: Vec<u32> = Selection::all(rows).rows().iter().rev().copied().collect();
    let columns = batch.physical_columns().iter();
    Batch::new(
        columns
            .map(|column| Arc::new(column.take(&order)))
            .collect(),
        rows,
    )
}

/// The rows of a vector that are not dead; `None` where none is dead.
pub(super) fn live(dead: &RoaringBitmap, first: u32, rows: usize) -> Result<Option<Selection>> {
    let end = ordinal(u64::from(first) + rows as u64)?;
    if dead.range_cardinality(first..end) == 0 {
        return Ok(None);
    }
    let rows = (first..end)
        .zip(0..)
        .filter(|(ordinal, _)| !dead.contains(*ordinal));
    Ok(Some(Selection::new(rows.map(|(_, row)| row).collect())))
}

fn intersect(chosen: Option<Selection>, passing: Selection) -> Selection {
    let Some(chosen) = chosen else {
        return passing;
    };
    let mut passing = passing.rows().iter().peekable();
    let keep = |row: &u32| {
        while passing.next_if(|next| *next < row).is_some() {}
        passing.peek() == Some(&row)
    };
    Selection::new(chosen.rows().iter().copied().filter(keep).collect())
}

/// Runs are cut long before their rows pass 32 bits.
pub(crate) fn ordinal(row: u64) -> Result<u32> {
    u32::try_from(row).map_err(|_| StoreError::internal("a run has too many rows"))
}
