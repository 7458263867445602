//! Streams the living rows of a run in key order, a vector at a time. Its pages go past the page
//! cache: they are read once, and soon deleted.

use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_run::{CheckedValue, GroupReader, RunHead};
use varve_types::{ColumnRef, Reservation, VECTOR_ROWS};

use crate::error::Result;
use crate::read::{missing_column, ordinal, reference_position, run_position};
use crate::run::Run;
use crate::store::Store;
use crate::tree::Tree;

/// What a page takes while it is read, in multiples of its stored bytes: a general stage is undone.
const UNDONE_TIMES: u64 = 3;

/// A run that is being read.
pub(super) struct RunInput {
    pub(super) run: Arc<Run>,
    /// Rows that are left out.
    pub(super) dead: RoaringBitmap,
    tree: Arc<Tree>,
    head: Arc<RunHead>,
    /// By stored column where the run has it, then where it has references.
    positions: Vec<Option<usize>>,
    next_group: usize,
    group: Option<OpenGroup>,
    reservation: Reservation,
}

struct OpenGroup {
    reader: GroupReader,
    first_row: u32,
    next_vector: usize,
}

/// Rows of one vector of a run.
pub(super) struct InputVector {
    /// The ordinal of the vector's first row.
    pub(super) first_row: u32,
    /// The stored columns; those that the run lacks are filled in.
    pub(super) columns: Vec<ColumnRef>,
    /// The living rows of the vector, ascending.
    pub(super) rows: Vec<u32>,
    keys: Vec<u8>,
    /// By living row the end of its key.
    key_ends: Vec<usize>,
}

impl InputVector {
    /// The key of living row number `at`, which must be there.
    pub(super) fn key(&self, at: usize) -> &[u8] {
        debug_assert!(at < self.key_ends.len(), "row {at} of a vector");
        let start = at
            .checked_sub(1)
            .and_then(|before| self.key_ends.get(before));
        let end = self.key_ends.get(at).copied().unwrap_or(0);
        let key = self.keys.get(start.copied().unwrap_or(0)..end);
        key.unwrap_or_default()
    }

    /// How many living rows from `at` on have keys below a bound.
    pub(super) fn rows_below(&self, at: usize, bound: Option<&[u8]>) -> usize {
        let rest = self.rows.len().saturating_sub(at);
        let Some(bound) = bound else {
            return rest;
        };
        // Mostly few rows are, or all.
        let mut step = 1;
        while step < rest && self.key(at + step) < bound {
            step *= 2;
        }
        let (mut low, mut high) = (step / 2, step.min(rest));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(at + middle) < bound {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl RunInput {
    pub(super) fn new(
        store: &Store,
        run: &Arc<Run>,
        tree: &Arc<Tree>,
        dead: RoaringBitmap,
    ) -> Result<RunInput> {
        let head = Arc::clone(run.head()?);
        let columns = 0..tree.columns().len();
        let positions = columns.map(|stored| run_position(tree, &head, stored));
        Ok(RunInput {
            positions: positions.collect(),
            run: Arc::clone(run),
            dead,
            tree: Arc::clone(tree),
            head,
            next_group: 0,
            group: None,
            reservation: Reservation::new(Arc::clone(&store.memory)),
        })
    }

    /// Lets the references of some stored columns follow the columns.
    pub(super) fn add_references(&mut self, referring: &[usize]) {
        let position = |stored: &usize| reference_position(&self.tree, &self.head, *stored);
        self.positions.extend(referring.iter().map(position));
    }

    /// The next vector with living rows; `None` at the end of the run.
    pub(super) async fn next(&mut self, store: &Store) -> Result<Option<InputVector>> {
        loop {
            if let Some(vector) = self.next_of_group()? {
                return Ok(Some(vector));
            }
            if !self.open_group(store).await? {
                self.group = None;
                self.reservation.resize(0)?;
                return Ok(None);
            }
        }
    }

    /// Reads the next group with living rows; false at the end of the run.
    async fn open_group(&mut self, store: &Store) -> Result<bool> {
        loop {
            let group = self.next_group;
            let Some(info) = self.head.groups().get(group) else {
                return Ok(false);
            };
            self.next_group += 1;
            let first_row = ordinal(info.first_row)?;
            let end = ordinal(info.first_row + u64::from(info.rows))?;
            if self.dead.range_cardinality(first_row..end) == u64::from(info.rows) {
                continue;
            }
            self.group = None;
            let values = self.read_values(store, group).await?;
            self.group = Some(OpenGroup {
                reader: GroupReader::new(Arc::clone(&self.head), group, values)
                    .map_err(|error| self.run.place_error(error))?,
                first_row,
                next_vector: 0,
            });
            return Ok(true);
        }
    }

    async fn read_values(&mut self, store: &Store, group: usize) -> Result<Vec<CheckedValue>> {
        let present: Vec<usize> = self.positions.iter().copied().flatten().collect();
        let values = store
            .read_values(&self.run, &self.head, group, &present)
            .await?;
        let bytes: u64 = values.iter().map(|value| value.bytes() as u64).sum();
        store.reserve(&mut self.reservation, bytes.saturating_mul(UNDONE_TIMES))?;
        Ok(values)
    }

    fn next_of_group(&mut self) -> Result<Option<InputVector>> {
        let Some(group) = &mut self.group else {
            return Ok(None);
        };
        let Some(info) = group.reader.info() else {
            return Ok(None);
        };
        while group.next_vector < info.vectors() {
            let vector = group.next_vector;
            group.next_vector += 1;
            let rows = info.vector_rows(vector);
            let first_row = group.first_row + ordinal((vector * VECTOR_ROWS) as u64)?;
            let end = first_row + ordinal(rows as u64)?;
            let dead = self.dead.range_cardinality(first_row..end);
            if dead == rows as u64 {
                continue;
            }
            let living: Vec<u32> = (first_row..end)
                .filter(|row| dead == 0 || !self.dead.contains(*row))
                .map(|row| row - first_row)
                .collect();
            let mut columns: Vec<ColumnRef> = Vec::with_capacity(self.positions.len());
            for (stored, position) in self.positions.iter().enumerate() {
                let column = match position {
                    Some(position) => group.reader.column(*position, vector),
                    None => Ok(missing_column(&self.tree, stored, rows)),
                };
                columns.push(Arc::new(
                    column.map_err(|error| self.run.place_error(error))?,
                ));
            }
            let mut keys = Vec::with_capacity(living.len() * 16);
            let mut key_ends = Vec::with_capacity(living.len());
            for row in &living {
                self.tree.put_key(&columns, *row as usize, &mut keys);
                key_ends.push(keys.len());
            }
            return Ok(Some(InputVector {
                first_row,
                columns,
                rows: living,
                keys,
                key_ends,
            }));
        }
        Ok(None)
    }
}
