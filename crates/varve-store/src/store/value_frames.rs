//! How the values of a tree are compressed one by one: what its source says, or without a
//! dictionary.

use std::sync::Arc;

use varve_codec::ZstdDictionary;
use varve_run::{ColumnSpec, ValueFrame, ValueFrames};
use varve_types::{Column, ColumnId, Result};

use crate::store::Store;
use crate::tree::Tree;
use crate::value_frames::{Rewrite, ValueFramesByColumn, ValueFramesSource};

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
