//! What the store knows of a table or index: columns and the sort key, nothing of SQL.

use crate::{ColumnId, LogicalType, TreeId, Value};

/// The shape of the rows of one tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeSchema {
    /// The tree.
    pub tree: TreeId,
    /// Grows with every change of the schema; runs name the version that they were written with.
    pub version: u32,
    /// The columns, in the order of a row.
    pub columns: Vec<TreeColumn>,
    /// What the rows are sorted by.
    pub key: SortKey,
}

/// One column of a [`TreeSchema`].
#[derive(Clone, Debug, PartialEq)]
pub struct TreeColumn {
    /// Never reused within the tree.
    pub id: ColumnId,
    /// The type of its values.
    pub ty: LogicalType,
    /// Whether NULL may be stored.
    pub nullable: bool,
    /// What rows of runs that lack the column read.
    pub missing: Value,
}

/// The order of a tree's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// A primary key: positions in [`TreeSchema::columns`]. Keys are unique and not null.
    Columns(Vec<usize>),
    /// A hidden row id that the store hands out in insertion order.
    RowId,
}

impl TreeSchema {
    /// The position of a column by its id.
    pub fn position_of(&self, id: ColumnId) -> Option<usize> {
        self.columns.iter().position(|column| column.id == id)
    }
}
