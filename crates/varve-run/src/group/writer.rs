//! Gathers the vectors of one group.

use std::sync::Arc;

use varve_codec::{FrameDictionary, WrittenFrame, ZstdEncoders, write_frames};
use varve_types::{Broken, Column, Invariant, invariant};

use crate::column_encoder::ColumnEncoder;
use crate::group::encoding::GroupEncoding;
use crate::group::layout::PlacedShared;
use crate::index;
use crate::{ColumnStats, GROUP_VECTORS_MAX, RunError, RunSpec, ValueFrames, ZoneMap};

/// One group while it is written.
pub(crate) struct GroupWriter {
    pub(crate) first_row: u64,
    pub(crate) rows: u32,
    pub(crate) first_key: Vec<u8>,
    pub(crate) key_hashes: Vec<u64>,
    pub(crate) index: Vec<u8>,
    /// By column its vectors.
    pub(crate) columns: Vec<Vec<Column>>,
    vectors: usize,
    value_bytes: usize,
}

/// One column of the run while it is written.
pub(crate) struct ColumnWriter {
    pub(crate) encoder: ColumnEncoder,
    pub(crate) stats: ColumnStats,
    /// The shared part stored last, and where.
    pub(crate) shared: Option<PlacedShared>,
    /// What its next frames may refer to.
    pub(crate) dictionary: Option<FrameDictionary>,
    /// Makes the frames of a column that asks for zstd.
    pub(crate) zstd: Option<Arc<dyn ZstdEncoders>>,
    /// Says how its values are compressed one by one.
    pub(crate) frames: Option<Arc<dyn ValueFrames>>,
}

impl ColumnWriter {
    pub(crate) fn new(encoder: ColumnEncoder, stats: ColumnStats) -> ColumnWriter {
        ColumnWriter {
            encoder,
            stats,
            shared: None,
            dictionary: None,
            zstd: None,
            frames: None,
        }
    }
}

impl GroupWriter {
    pub(crate) fn new(spec: &RunSpec, first_row: u64) -> GroupWriter {
        GroupWriter {
            first_row,
            rows: 0,
            first_key: Vec::new(),
            key_hashes: Vec::new(),
            index: Vec::new(),
            columns: spec.columns.iter().map(|_| Vec::new()).collect(),
            vectors: 0,
            value_bytes: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.vectors == 0
    }

    /// Whether another vector would be too many, or the values in memory have reached the limit.
    pub(crate) fn is_full(&self, value_bytes_max: usize) -> bool {
        self.vectors == GROUP_VECTORS_MAX || self.value_bytes >= value_bytes_max
    }

    /// Bytes of its values in memory.
    pub(crate) fn value_bytes(&self) -> usize {
        self.value_bytes
    }

    /// Adds a vector of plain columns of so many bytes in memory; adds what it learns to the
    /// statistics of the run.
    pub(crate) fn add_vector(
        &mut self,
        columns: Vec<Column>,
        value_bytes: usize,
        first_key: &[u8],
        key_hashes: &mut Vec<u64>,
        writers: &mut [ColumnWriter],
    ) -> Result<(), Broken> {
        let all = columns.len() == self.columns.len() && writers.len() == columns.len();
        invariant!(all, "columns of a vector");
        if self.is_empty() {
            self.first_key = first_key.to_vec();
        }
        let mut zones = Vec::with_capacity(columns.len());
        for (column, writer) in columns.iter().zip(writers) {
            let zone = ZoneMap::of(column);
            writer.stats.zone.merge(&zone);
            zones.push(zone);
        }
        index::encode_vector(first_key, &zones, &mut self.index);
        self.key_hashes.append(key_hashes);
        let rows = columns.first().map_or(0, Column::len);
        debug_assert!(columns.iter().all(|column| column.len() == rows));
        self.rows += u32::try_from(rows).or_broken("rows of a vector")?;
        self.vectors += 1;
        self.value_bytes += value_bytes;
        for (vectors, column) in self.columns.iter_mut().zip(columns) {
            vectors.push(column);
        }
        Ok(())
    }

    /// Bytes that the vectors so far would be encoded to by new encoders, one a column.
    pub(crate) fn trial_bytes(
        &self,
        mut encoder: impl FnMut() -> Option<ColumnEncoder>,
    ) -> Result<usize, RunError> {
        let mut bytes = 0;
        for vectors in &self.columns {
            let mut encoder = encoder().ok_or(RunError::Mismatch("column"))?;
            let encoded = encoder.encode(vectors, None);
            let encoded = encoded.map_err(|_| RunError::Mismatch("column"))?;
            let vectors = encoded.vectors.iter().map(Vec::as_slice);
            let frames = write_frames(vectors, encoder.stage);
            bytes += encoded.shared.len() + frames.iter().map(WrittenFrame::bytes).sum::<usize>();
        }
        Ok(bytes)
    }

    /// Goes on to encode the group, whose last key is this.
    pub(crate) fn end(self, last_key: &[u8]) -> GroupEncoding {
        GroupEncoding::new(self, last_key.to_vec())
    }
}
