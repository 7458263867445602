//! What a run is made of, known before its first row.

use varve_types::{ColumnId, KeyOrder, LogicalType, RunId};

/// The shape of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSpec {
    /// The run; mixed into every checksum, so that a value of another run is not taken for one of
    /// this.
    pub run: RunId,
    /// The version of the schema that the rows have.
    pub schema_version: u32,
    /// The columns of a row, in order.
    pub columns: Vec<ColumnSpec>,
    /// The positions in `columns` that form the sort key, in order.
    pub key_columns: Vec<usize>,
    /// The order of each key column; empty where all are ascending, NULLs last.
    pub key_orders: Vec<KeyOrder>,
    /// Whether every group gets a filter over its keys, for point lookups.
    pub filter: bool,
    /// How many of the key columns are looked up together and so make a key of the filter; `None`
    /// for all.
    pub filter_key_columns: Option<usize>,
}

/// One column of a [`RunSpec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnSpec {
    /// The column in its tree.
    pub id: ColumnId,
    /// The type of its values.
    pub ty: LogicalType,
}
