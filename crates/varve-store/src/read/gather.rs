//! Reads columns of chosen rows of a view, in the order in which the rows are asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_run::{GroupReader, RunHead};
use varve_types::{Batch, ColumnBuilder, ColumnRef, Error, Result, VECTOR_ROWS};

use crate::format::row::Projection;
use crate::memtable::RowTable;
use crate::pacer::Pacer;
use crate::read::pages::{column_pages, group_reader};
use crate::read::run_cursor::{missing_column, position_column, run_position};
use crate::read::table_chunk::{builders, decode_version};
use crate::read::{RowRef, RunView, View};

/// Groups whose pages are read in one call.
const GROUPS_AT_ONCE: usize = 16;

/// Rows of one vector: the position in the vector, and the places in the request that ask for it.
type VectorRows = BTreeMap<u16, Vec<usize>>;

/// Collects pieces of rows, then puts them into the order of the request.
struct Pieces {
    outputs: Vec<ColumnBuilder>,
    /// For each row of the request where it is in the outputs.
    order: Vec<u32>,
}

impl Pieces {
    fn place(&mut self, request: usize, row: usize) {
        if let Some(slot) = self.order.get_mut(request) {
            *slot = u32::try_from(row).unwrap_or(u32::MAX);
        }
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

    /// Columns of at most 1,024 rows.
    async fn gather_vector(&self, rows: &[RowRef], columns: &[usize]) -> Result<Vec<ColumnRef>> {
        let mut pieces = Pieces {
            outputs: builders(&self.tree, columns, rows.len()),
            order: vec![u32::MAX; rows.len()],
        };
        self.gather_in_memory(rows, columns, &mut pieces)?;
        let mut runs: BTreeMap<u32, BTreeMap<usize, BTreeMap<usize, VectorRows>>> = BTreeMap::new();
        for (request, row) in rows.iter().enumerate() {
            let RowRef::Run { slot, ordinal } = *row else {
                continue;
            };
            let head = self.run(slot)?.run.head()?;
            let place = head.locate(u64::from(ordinal)).ok_or_else(no_such_row)?;
            let groups = runs.entry(slot).or_default();
            let vectors = groups.entry(place.group).or_default();
            let rows = vectors.entry(place.vector).or_default();
            rows.entry(place.position).or_default().push(request);
        }
        let mut pacer = Pacer::new(&self.snapshot.store.env);
        for (slot, groups) in runs {
            let run = self.run(slot)?;
            let head = run.run.head()?;
            let positions: Vec<Option<usize>> = columns
                .iter()
                .map(|stored| run_position(&self.tree, head, *stored))
                .collect();
            let present: Vec<usize> = positions.iter().copied().flatten().collect();
            let groups: Vec<_> = groups.into_iter().collect();
            for some in groups.chunks(GROUPS_AT_ONCE) {
                let wanted = some
                    .iter()
                    .flat_map(|(group, _)| column_pages(head, *group, &present));
                let wanted = wanted.collect();
                let pages = self.snapshot.store.read_pages(self.id(), wanted).await?;
                for (group, vectors) in some {
                    let reader = group_reader(head, *group, &pages)?;
                    for (vector, rows) in vectors {
                        pacer.pause().await;
                        let part = RunPart {
                            run,
                            reader: &reader,
                            vector: *vector,
                            rows,
                        };
                        self.gather_from_run(&part, columns, &positions, &mut pieces)?;
                    }
                }
            }
        }
        Ok(pieces.finish())
    }

    fn run(&self, slot: u32) -> Result<&RunView> {
        self.runs.get(slot as usize).ok_or_else(no_such_row)
    }

    fn gather_from_run(
        &self,
        part: &RunPart<'_>,
        columns: &[usize],
        positions: &[Option<usize>],
        pieces: &mut Pieces,
    ) -> Result<()> {
        let before = pieces.len();
        let chosen: Vec<u16> = part.rows.keys().copied().collect();
        for ((stored, position), output) in columns.iter().zip(positions).zip(&mut pieces.outputs) {
            let column = match position {
                Some(position) => part.reader.gather(*position, part.vector, &chosen),
                None => Ok(missing_column(&self.tree, *stored, chosen.len())),
            };
            output.append(&column.map_err(|error| part.run.run.place_error(error))?);
        }
        for (requests, at) in part.rows.values().zip(before..) {
            for request in requests {
                pieces.place(*request, at);
            }
        }
        Ok(())
    }

    fn gather_in_memory(
        &self,
        rows: &[RowRef],
        columns: &[usize],
        pieces: &mut Pieces,
    ) -> Result<()> {
        let projection = Projection::new(columns, self.tree.types().len());
        let mut read = |table: &RowTable, wanted: fn(&RowRef) -> Option<u32>| {
            for (request, row) in rows.iter().enumerate() {
                let Some(version) = wanted(row) else {
                    continue;
                };
                table.version(version).ok_or_else(no_such_row)?;
                let at = pieces.len();
                decode_version(table, &self.tree, version, &projection, &mut pieces.outputs)?;
                pieces.place(request, at);
            }
            Ok::<(), Error>(())
        };
        let memtable = self.with_memtable(|table, _| {
            read(table, |row| match row {
                RowRef::Memtable(version) => Some(*version),
                _ => None,
            })
        });
        memtable.transpose()?;
        let own = self.with_own(|table| {
            read(table, |row| match row {
                RowRef::Own(version) => Some(*version),
                _ => None,
            })
        });
        own.transpose()?;
        Ok(())
    }

    /// Whether the positions name rows that this view could have given.
    pub(crate) fn check_positions(&self, rows: &[RowRef]) -> Result<()> {
        let versions = self.with_memtable(|table, _| table.versions()).unwrap_or(0);
        let own_versions = self.with_own(RowTable::versions).unwrap_or(0);
        for row in rows {
            let exists = match *row {
                RowRef::Memtable(version) => (version as usize) < versions,
                RowRef::Own(version) => (version as usize) < own_versions,
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

/// The rows wanted of one vector of a run.
struct RunPart<'a> {
    run: &'a RunView,
    reader: &'a GroupReader,
    vector: usize,
    rows: &'a VectorRows,
}

fn rows_of(head: &RunHead) -> u64 {
    head.rows()
}

fn no_such_row() -> Error {
    Error::internal("a row position is not of this transaction")
}
