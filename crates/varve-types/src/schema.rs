//! What the store knows of a table or index: columns and the sort key, nothing of SQL.

use crate::{ColumnId, ColumnStorage, KeyOrder, LogicalType, TreeId, TreeOptions, Value};

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
    /// What is said of the storage of all columns.
    pub options: TreeOptions,
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
    /// How its values are to be stored.
    pub storage: ColumnStorage,
}

/// The order of a tree's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// A primary key: positions in [`TreeSchema::columns`]. Keys are unique and not null.
    Columns(Vec<usize>),
    /// A hidden row id that the store hands out in insertion order.
    RowId,
    /// Columns that may be NULL and that rows may share, at least one; then the hidden row id,
    /// which tells such rows apart. It alone is what names a row.
    Sorted(Vec<KeyColumn>),
    /// The tree is an index of another one.
    Index(IndexKey),
}

/// What an index is sorted by, and what the store must know of it beside its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexKey {
    /// The tree whose rows it finds.
    pub of: TreeId,
    /// The index's own key columns, then those of the sort key of the indexed tree (a hidden row
    /// id is a BIGINT column here). Together they are unique. Columns not named are included only
    /// to be read.
    pub columns: Vec<KeyColumn>,
    /// How many of `columns` are the index's own.
    pub own_columns: usize,
    /// What the own key columns must be.
    pub uniqueness: Uniqueness,
    /// What it may be used for.
    pub state: IndexState,
}

/// One column of a key that is not only ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyColumn {
    /// A position in [`TreeSchema::columns`].
    pub position: usize,
    /// The order of its values.
    pub order: KeyOrder,
}

/// Whether entries may have equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniqueness {
    /// They may.
    None,
    /// They may not, unless one of the values is NULL.
    NullsDistinct,
    /// They may not; NULLs equal each other.
    NullsEqual,
}

/// What an index may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// Writes maintain it; what was there before it may be missing.
    Building,
    /// It has an entry for each row that it should have one for.
    Valid,
}

impl TreeSchema {
    /// The position of a column by its id.
    pub fn position_of(&self, id: ColumnId) -> Option<usize> {
        self.columns.iter().position(|column| column.id == id)
    }
}
