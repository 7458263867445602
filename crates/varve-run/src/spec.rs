//! What a run is made of, known before its first row.

use varve_codec::{Codec, Stage};
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
    /// How each column is to be encoded; empty where nothing was asked for.
    pub encodings: Vec<ColumnEncoding>,
}

impl RunSpec {
    /// Whether a column is one of those by which single rows are looked up: those of a key that has
    /// a filter or is one column. Rows with other keys are sorted for scans.
    pub(crate) fn has_point_reads(&self, column: usize) -> bool {
        let is_looked_up = self.filter || self.key_columns.len() == 1;
        is_looked_up && self.key_columns.contains(&column)
    }

    /// How a column is to be encoded.
    pub(crate) fn encoding(&self, column: usize) -> ColumnEncoding {
        self.encodings.get(column).copied().unwrap_or_default()
    }
}

/// What was asked for of the pages of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnEncoding {
    /// The codec that was named. Blocks that it does not suit are written in the best one.
    pub codec: Codec,
    /// The general stage, where the column is not one of point reads or a codec was named.
    pub stage: Stage,
    /// Whether the stage holds for a column of point reads too.
    pub stage_of_keys: bool,
    /// The level of zstd that takes the place of the stage, where there is an encoder.
    pub zstd_level: Option<u8>,
    /// Whether each value is compressed by itself, where somebody says how.
    pub by_value: bool,
}

impl Default for ColumnEncoding {
    fn default() -> ColumnEncoding {
        ColumnEncoding {
            codec: Codec::Auto,
            stage: Stage::Lz4,
            stage_of_keys: false,
            zstd_level: None,
            by_value: false,
        }
    }
}

/// One column of a [`RunSpec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnSpec {
    /// The column in its tree.
    pub id: ColumnId,
    /// The type of its values.
    pub ty: LogicalType,
    /// What its values are.
    pub holds: Holds,
}

impl ColumnSpec {
    /// Of the values of a column.
    pub fn values(id: ColumnId, ty: LogicalType) -> ColumnSpec {
        ColumnSpec {
            id,
            ty,
            holds: Holds::Values,
        }
    }

    /// Of the references to values of a column.
    pub fn references(id: ColumnId) -> ColumnSpec {
        ColumnSpec {
            id,
            ty: LogicalType::Int8,
            holds: Holds::References,
        }
    }
}

/// What the values of a column of a run are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holds {
    /// The values of the column of its tree, or the beginnings of those that lie elsewhere.
    #[default]
    Values,
    /// Where the values of the column of its tree lie that are not in the run, as numbers that only
    /// the store understands; NULL for those that are.
    References,
}
