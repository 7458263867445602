//! Where it comes from how the values of columns under `zstd_values` are compressed.

use std::sync::Arc;

use varve_run::ValueFrames;
use varve_types::{ColumnId, LocalFuture, Result, TreeId};

use crate::store::Store;

/// Why runs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Runs are merged in the background.
    Merge,
    /// Someone asked that values be compressed.
    Compress,
}

/// Says how the values of a tree are compressed: only SQL knows.
pub trait ValueFramesSource: core::fmt::Debug + Send + Sync {
    /// By column of the tree that has an opinion.
    fn of_tree(
        &self,
        tree: TreeId,
        why: Rewrite,
    ) -> LocalFuture<'_, Result<Vec<(ColumnId, Arc<dyn ValueFrames>)>>>;
}

impl Store {
    /// Says who knows how values are compressed.
    pub fn set_value_frames_source(&self, source: Arc<dyn ValueFramesSource>) {
        self.state().value_frames_source = Some(source);
    }

    /// Whether rows of a tree wait to be compressed value by value: by what its source says now of
    /// those that are not.
    pub async fn has_values_due(self: &Arc<Store>, _tree: TreeId) -> Result<bool> {
        Ok(false)
    }

    /// Compresses one run whose values wait for it. Returns whether more do.
    pub async fn compress_values_step(self: &Arc<Store>, _tree: TreeId) -> Result<bool> {
        Ok(false)
    }

    /// By column under `zstd_values` what became of its values, in all runs of a tree.
    pub fn value_frame_totals(&self, _tree: TreeId) -> Vec<(ColumnId, ValueFrameTotals)> {
        Vec::new()
    }
}

/// What became of the values of a column that were compressed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueFrameTotals {
    /// How they were compressed.
    pub frame: varve_run::ValueFrame,
    /// How many there are; those that were deleted since are among them.
    pub rows: u64,
    /// Their bytes before.
    pub raw_bytes: u64,
    /// Their bytes as they are stored.
    pub stored_bytes: u64,
}
