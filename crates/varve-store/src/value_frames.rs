//! Where it comes from how the values of columns under `zstd_values` are compressed.

use std::sync::Arc;

use varve_codec::ValueFrameBytes;
use varve_run::{ValueFrame, ValueFrames};
use varve_types::{ColumnId, LocalFuture, Result, TreeId};

/// Why runs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Runs are merged in the background: values that nobody chose a way for may be among them.
    Merge,
    /// Runs are merged in the background of which all values were compressed, or left as they are.
    MergeCompressed,
    /// Someone asked that values be compressed.
    Compress,
}

/// How values are compressed, by column.
pub type ValueFramesByColumn = Vec<(ColumnId, Arc<dyn ValueFrames>)>;

/// Says how the values of a tree are compressed: only SQL knows.
pub trait ValueFramesSource: core::fmt::Debug + Send + Sync {
    /// By column of the tree that has an opinion.
    fn of_tree(&self, tree: TreeId, why: Rewrite) -> LocalFuture<'_, Result<ValueFramesByColumn>>;
}

/// What became of the values of a column that were compressed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueFrameTotals {
    /// How they were compressed.
    pub frame: ValueFrame,
    /// How many there are and what they take; those that were deleted since are among them.
    pub bytes: ValueFrameBytes,
}
