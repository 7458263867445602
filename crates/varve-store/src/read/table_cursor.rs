//! Streams the rows of a table in memory.

use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_types::{Batch, CommitSeq};

use crate::error::Result;
use crate::memtable::{ChunkRequest, RowTable, TableChunk};
use crate::read::View;
use crate::read::run_cursor::{ResolvedScan, position_column};
use crate::read::scan::TableSource;
use crate::write_set::{RowRef, WRITE_SET_SEQ};

/// Goes through the keys of a table.
pub(super) struct TableCursor {
    source: TableSource,
    /// The key of the last row before, in the direction of reading.
    after: Option<Vec<u8>>,
    done: bool,
}

impl TableCursor {
    pub(super) fn new(source: TableSource) -> TableCursor {
        TableCursor {
            source,
            after: None,
            done: false,
        }
    }

    /// The rows that pass among the next 1,024; an empty batch where none does, `None` at the end.
    pub(super) fn next(&mut self, view: &View, resolved: &ResolvedScan) -> Result<Option<Batch>> {
        if self.done {
            return Ok(None);
        }
        let tested = resolved.tests.0.iter().map(|(stored, _)| *stored);
        let columns: Vec<usize> = resolved.outputs.iter().copied().chain(tested).collect();
        let read = |table: &RowTable, seq: CommitSeq, dead: Option<&RoaringBitmap>| {
            let request = ChunkRequest {
                tree: &resolved.tree,
                columns: &columns,
                seq,
                dead,
                after: self.after.as_deref(),
                reverse: resolved.spec.reverse,
                range: &resolved.tested_range,
                rows_max: resolved.chunk_rows_max,
            };
            TableChunk::read(table, &request)
        };
        let chunk = match self.source {
            TableSource::WriteSet => view.with_own_rows(|table| read(table, WRITE_SET_SEQ, None)),
            TableSource::Memtable(slot) => {
                view.with_memtable(slot, |table, dead| read(table, resolved.seq, dead))
            }
        };
        let Some(mut chunk) = chunk.transpose()? else {
            return Ok(None);
        };
        self.done = chunk.last_key.is_none();
        self.after = chunk.last_key.take();
        let source = self.source;
        let mut columns = chunk.columns;
        let tested = columns.split_off(resolved.outputs.len());
        if resolved.spec.with_position {
            let rows = chunk.versions.iter().map(|version| match source {
                TableSource::WriteSet => RowRef::WriteSet(*version),
                TableSource::Memtable(slot) => RowRef::Memtable {
                    slot,
                    version: *version,
                },
            });
            columns.push(Arc::new(position_column(rows)));
        }
        // Tested columns come last, so that each test can be laid on the rows left by those before.
        let width = columns.len();
        columns.extend(tested);
        let mut batch = Batch::new(columns, chunk.versions.len());
        for ((_, test), at) in resolved.tests.0.iter().zip(width..) {
            if let Some(column) = batch.column(at) {
                batch = batch.select(&test.select(&column));
            }
        }
        let columns = batch
            .physical_columns()
            .iter()
            .take(width)
            .cloned()
            .collect();
        let output = Batch::new(columns, chunk.versions.len());
        Ok(Some(match batch.selection() {
            Some(selection) if selection.len() < chunk.versions.len() => output.select(selection),
            _ => output,
        }))
    }
}
