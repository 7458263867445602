//! Batches: what flows between operators.

use core::ops::Range;
use std::sync::Arc;

use crate::Column;
use crate::meter::fitting;

/// Rows of a vector, and the most that a batch holds: the unit of encoding, zone maps, decoding and
/// execution.
pub const VECTOR_ROWS: usize = 1024;

/// A column shared between batches.
pub type ColumnRef = Arc<Column>;

/// Chosen rows of a vector, ascending, each once.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Selection(Vec<u32>);

impl Selection {
    /// Rows that a filter kept; `rows` must ascend strictly.
    pub fn new(rows: Vec<u32>) -> Selection {
        debug_assert!(rows.is_sorted_by(|a, b| a < b));
        Selection(rows)
    }

    /// All of `rows` rows.
    pub fn all(rows: usize) -> Selection {
        Selection((0..fitting(rows, "rows of a batch")).collect())
    }

    /// The rows.
    pub fn rows(&self) -> &[u32] {
        &self.0
    }

    /// Number of rows chosen.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no row is chosen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Columns of equal length, at most [`VECTOR_ROWS`] rows, of which a selection may choose some.
///
/// `rows` counts the chosen rows. A batch without columns still has rows (`SELECT count(*)`).
#[derive(Clone, Debug)]
pub struct Batch {
    columns: Vec<ColumnRef>,
    physical_rows: usize,
    selection: Option<Arc<Selection>>,
}

impl Batch {
    /// A batch of all rows of these columns; every column has `rows` rows.
    pub fn new(columns: Vec<ColumnRef>, rows: usize) -> Batch {
        debug_assert!(columns.iter().all(|column| column.len() == rows));
        Batch {
            columns,
            physical_rows: rows,
            selection: None,
        }
    }

    /// Numbers of the chosen rows, from 0.
    pub fn row_numbers(&self) -> Range<u32> {
        0..fitting(self.rows(), "rows of a batch")
    }

    /// Number of chosen rows.
    pub fn rows(&self) -> usize {
        self.selection
            .as_ref()
            .map_or(self.physical_rows, |selection| selection.len())
    }

    /// Whether no row is chosen.
    pub fn is_empty(&self) -> bool {
        self.rows() == 0
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The columns as they lie in memory, selection not applied.
    pub fn physical_columns(&self) -> &[ColumnRef] {
        &self.columns
    }

    /// The selection over [`Batch::physical_columns`]; `None` means all rows.
    pub fn selection(&self) -> Option<&Arc<Selection>> {
        self.selection.as_ref()
    }

    /// The chosen rows of column `i`, without a copy where all are chosen; `None` when there is no
    /// such column.
    pub fn column(&self, i: usize) -> Option<ColumnRef> {
        let column = self.columns.get(i)?;
        Some(match &self.selection {
            None => Arc::clone(column),
            Some(selection) => Arc::new(column.take(selection.rows())),
        })
    }

    /// The chosen rows `keep` of the chosen rows: positions count from the first chosen row.
    #[must_use]
    pub fn select(&self, keep: &Selection) -> Batch {
        let selection = match &self.selection {
            None => keep.clone(),
            Some(outer) => Selection(
                keep.rows()
                    .iter()
                    .filter_map(|row| outer.rows().get(*row as usize).copied())
                    .collect(),
            ),
        };
        Batch {
            columns: self.columns.clone(),
            physical_rows: self.physical_rows,
            selection: Some(Arc::new(selection)),
        }
    }

    /// The same chosen rows with the selection applied to every column.
    #[must_use]
    pub fn compact(&self) -> Batch {
        match &self.selection {
            None => self.clone(),
            Some(selection) => Batch {
                columns: self
                    .columns
                    .iter()
                    .map(|column| Arc::new(column.take(selection.rows())))
                    .collect(),
                physical_rows: selection.len(),
                selection: None,
            },
        }
    }

    /// `len` chosen rows from chosen row `start`, compacted.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Batch {
        let whole = self.compact();
        let rows = len.min(whole.physical_rows.saturating_sub(start));
        let columns = whole
            .columns
            .iter()
            .map(|column| Arc::new(column.slice(start, rows)))
            .collect();
        Batch {
            columns,
            physical_rows: rows,
            selection: None,
        }
    }

    /// Bytes that the columns take in memory.
    pub fn memory_bytes(&self) -> usize {
        self.columns
            .iter()
            .map(|column| column.memory_bytes())
            .sum()
    }

    /// As [`Batch::memory_bytes`]; from now on whoever holds the batch books these bytes, and its
    /// buffers do not.
    pub fn taken_over_bytes(&self) -> usize {
        let columns = self.columns.iter();
        columns.map(|column| column.taken_over_bytes()).sum()
    }
}
