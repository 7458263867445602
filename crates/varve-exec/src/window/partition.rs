//! The rows of one partition and their groups of peers.

use varve_types::{Batch, Column, ColumnBuilder, LogicalType};

/// A partition in its order.
#[derive(Default)]
pub(crate) struct Partition {
    /// The rows, in batches as they came.
    pub(crate) batches: Vec<Batch>,
    rows: usize,
    /// The first row of each group of peers.
    groups: Vec<usize>,
    bytes: usize,
}

impl Partition {
    /// Adds rows; `starts` are those that begin a group of peers.
    pub(crate) fn push(&mut self, batch: Batch, starts: &[usize]) {
        self.groups.extend(starts.iter().map(|row| self.rows + row));
        self.rows += batch.rows();
        self.bytes += batch.taken_over_bytes() + size_of_val(starts);
        self.batches.push(batch);
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes
    }

    /// The group of a row.
    pub(crate) fn group_of(&self, row: usize) -> usize {
        self.groups
            .partition_point(|first| *first <= row)
            .saturating_sub(1)
    }

    /// The first row of a group; the number of rows past the last group.
    pub(crate) fn group_start(&self, group: usize) -> usize {
        self.groups.get(group).copied().unwrap_or(self.rows)
    }
}

/// Columns of several batches as one.
pub(crate) fn joined(ty: LogicalType, columns: &[varve_types::ColumnRef]) -> Column {
    let rows = columns.iter().map(|column| column.len()).sum();
    let mut builder = ColumnBuilder::with_capacity(ty, rows);
    for column in columns {
        builder.append(column);
    }
    builder.finish()
}
