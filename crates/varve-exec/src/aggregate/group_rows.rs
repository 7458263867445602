//! The group columns of an aggregation's result.

use std::sync::Arc;

use varve_types::{ColumnBuilder, ColumnRef, LogicalType, VECTOR_ROWS};

/// One row a group, in batches of 1,024, as the first row of each group had it.
pub(crate) struct GroupRows {
    types: Vec<LogicalType>,
    batches: Vec<Vec<ColumnRef>>,
    /// The batch being filled.
    open: Vec<ColumnBuilder>,
    open_rows: usize,
    closed_bytes: usize,
}

impl GroupRows {
    pub(crate) fn new(types: Vec<LogicalType>) -> GroupRows {
        GroupRows {
            types,
            batches: Vec::new(),
            open: Vec::new(),
            open_rows: 0,
            closed_bytes: 0,
        }
    }

    /// Adds the groups that begin at `rows` of these columns.
    pub(crate) fn add(&mut self, columns: &[ColumnRef], mut rows: &[u32]) {
        while !rows.is_empty() {
            if self.open.is_empty() {
                self.open = self
                    .types
                    .iter()
                    .map(|ty| ColumnBuilder::new(*ty))
                    .collect();
            }
            let fitting = rows.len().min(VECTOR_ROWS - self.open_rows);
            let (now, later) = rows.split_at(fitting);
            for (builder, column) in self.open.iter_mut().zip(columns) {
                builder.append_rows(column, now);
            }
            self.open_rows += now.len();
            rows = later;
            if self.open_rows == VECTOR_ROWS {
                self.finish();
            }
        }
    }

    /// Closes the last batch.
    pub(crate) fn finish(&mut self) {
        if self.open_rows == 0 {
            return;
        }
        let builders = core::mem::take(&mut self.open).into_iter();
        let columns: Vec<ColumnRef> = builders.map(|open| Arc::new(open.finish())).collect();
        self.closed_bytes += columns
            .iter()
            .map(|column| column.memory_bytes())
            .sum::<usize>();
        self.batches.push(columns);
        self.open_rows = 0;
    }

    /// Hands batch `i` out.
    pub(crate) fn take_batch(&mut self, i: usize) -> Vec<ColumnRef> {
        self.batches
            .get_mut(i)
            .map(core::mem::take)
            .unwrap_or_default()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.closed_bytes
    }
}
