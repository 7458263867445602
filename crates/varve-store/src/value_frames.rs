//! Where it comes from how the values of columns under `zstd_values` are compressed.

use std::sync::Arc;

use varve_codec::{ValueFrameBytes, ZstdDictionary};
use varve_run::{ColumnSpec, ValueFrame, ValueFrames};
use varve_types::{Column, ColumnId, LocalFuture, Result, TreeId};

use crate::store::Store;
use crate::tree::Tree;

/// Why runs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Runs are merged in the background.
    Merge,
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

impl Store {
    /// Says who knows how values are compressed.
    pub fn set_value_frames_source(&self, source: Arc<dyn ValueFramesSource>) {
        self.state().value_frames_source = Some(source);
    }

    /// How the values of a tree are compressed, by column under `zstd_values`. Where nobody says
    /// how, they are compressed without a dictionary.
    pub(crate) async fn value_frames(
        &self,
        tree: &Tree,
        why: Rewrite,
    ) -> Result<ValueFramesByColumn> {
        let columns = tree.columns_by_value();
        let mut columns = columns.peekable();
        if columns.peek().is_none() {
            return Ok(Vec::new());
        }
        let source = self.state().value_frames_source.clone();
        let known = match source {
            Some(source) => source.of_tree(tree.schema().tree, why).await?,
            None => Vec::new(),
        };
        let of_column = |column: &ColumnSpec| {
            let mut known = known.iter();
            let known = known.find(|(id, _)| *id == column.id);
            let frames = known.map(|(_, frames)| Arc::clone(frames));
            (
                column.id,
                frames.unwrap_or_else(|| Arc::new(WithoutDictionary)),
            )
        };
        Ok(columns.map(of_column).collect())
    }
}

/// Values of which nobody said more than that they are to be compressed.
#[derive(Debug)]
struct WithoutDictionary;

impl ValueFrames for WithoutDictionary {
    fn level(&self) -> u8 {
        3
    }

    fn reads(&self) -> &[ColumnId] {
        &[]
    }

    fn choose(&self, _: &[&Column], rows: usize) -> Vec<ValueFrame> {
        vec![ValueFrame::Alone; rows]
    }

    fn dictionary(&self, _: i32) -> Option<ZstdDictionary> {
        None
    }
}

/// What became of the values of a column that were compressed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueFrameTotals {
    /// How they were compressed.
    pub frame: ValueFrame,
    /// How many there are and what they take; those that were deleted since are among them.
    pub bytes: ValueFrameBytes,
}
