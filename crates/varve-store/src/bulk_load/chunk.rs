//! Rows that did not come in key order, until they are sorted and written.

use core::ops::Range;
use std::sync::Arc;

use varve_types::{Column, ColumnBuilder, ColumnRef, LogicalType, PhysicalType, Reservation};

use crate::error::Result;
use crate::store::Store;

/// What sorting takes for each row, beside the row.
const SORT_BYTES: u64 = 24;

/// Rows in the order in which they came.
pub(super) struct Chunk {
    types: Vec<LogicalType>,
    builders: Vec<ColumnBuilder>,
    reservation: Reservation,
    bytes_max: u64,
}

impl Chunk {
    /// An empty chunk for rows of these types, which takes one of `parts` of the memory at most.
    pub(super) fn new(store: &Store, types: &[LogicalType], parts: u64) -> Chunk {
        let bytes_max = store.settings.memtable_bytes_max;
        Chunk {
            types: types.to_vec(),
            builders: builders(types),
            reservation: Reservation::new(Arc::clone(&store.memory)),
            bytes_max: bytes_max.min(store.memory.limit_bytes() / parts.max(1)),
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.builders.first().map_or(0, ColumnBuilder::len)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows() == 0
    }

    /// Takes rows. Returns false, and takes none, where what is there must be written first;
    /// `53200` where even an empty chunk has no room for them.
    pub(super) fn add(
        &mut self,
        store: &Store,
        columns: &[ColumnRef],
        rows: Range<usize>,
    ) -> Result<bool> {
        let bytes = bytes_of(columns, &rows) + SORT_BYTES * rows.len() as u64;
        let total = self.reservation.bytes().saturating_add(bytes);
        if !self.is_empty() && total > self.bytes_max {
            return Ok(false);
        }
        if let Err(error) = store.reserve(&mut self.reservation, total) {
            return match self.is_empty() {
                true => Err(error),
                false => Ok(false),
            };
        }
        for (builder, column) in self.builders.iter_mut().zip(columns) {
            builder.append_range(column, rows.start, rows.end);
        }
        Ok(true)
    }

    /// The rows, whose memory stays booked until [`Chunk::clear`].
    pub(super) fn take(&mut self) -> Vec<ColumnRef> {
        let full = core::mem::replace(&mut self.builders, builders(&self.types));
        full.into_iter()
            .map(|builder| Arc::new(builder.finish()))
            .collect()
    }

    /// Gives the memory of the rows back that were taken.
    pub(super) fn clear(&mut self) {
        // A smaller reservation is never refused.
        let _ = self.reservation.resize(0);
    }
}

fn builders(types: &[LogicalType]) -> Vec<ColumnBuilder> {
    types.iter().map(|ty| ColumnBuilder::new(*ty)).collect()
}

/// What some rows take in memory as plain columns.
fn bytes_of(columns: &[ColumnRef], rows: &Range<usize>) -> u64 {
    let of_column = |column: &ColumnRef| {
        let texts = |row| 4 + column.str_at(row).map_or(0, str::len) as u64;
        let binaries = |row| 4 + column.binary_at(row).map_or(0, <[u8]>::len) as u64;
        match column.logical_type().physical() {
            PhysicalType::Bytes => rows.clone().map(texts).sum(),
            PhysicalType::Binary => rows.clone().map(binaries).sum(),
            _ => 9 * rows.len() as u64,
        }
    };
    columns.iter().map(of_column).sum()
}

/// The chosen rows of columns.
pub(super) fn pick(columns: &[ColumnRef], rows: &[u32]) -> Vec<ColumnRef> {
    let taken = columns.iter().map(|column| Column::take(column, rows));
    taken.map(Arc::new).collect()
}
