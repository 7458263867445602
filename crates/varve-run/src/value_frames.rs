//! Who says how each value of a column is compressed on its own by zstd.

use std::sync::Arc;

use varve_codec::{
    CodecError, EncodedBlock, FramedBlock, Stage, ValueFrame, ValueFramer, ZstdDictionary,
    ZstdEncoders,
};
use varve_types::{Column, ColumnId};

use crate::column_encoder::{no_strings, put_column_strings};
use crate::{Holds, RunSpec};

/// Says how each value of one column is compressed.
pub trait ValueFrames: core::fmt::Debug + Send + Sync {
    /// The level of zstd, 1 to 19.
    fn level(&self) -> u8;

    /// The columns that the choice reads. 0 is the hidden row id of a table without a key.
    fn reads(&self) -> &[ColumnId];

    /// The choice for each of `rows` rows, whose values are in plain `columns`, those of
    /// [`ValueFrames::reads`] in order. What cannot be told is [`ValueFrame::Raw`].
    fn choose(&self, columns: &[&Column], rows: usize) -> Vec<ValueFrame>;

    /// The dictionary of a number that was chosen.
    fn dictionary(&self, number: i32) -> Option<ZstdDictionary>;
}

/// From this level on few bytes are compressed at once.
const SLOW_LEVEL: u8 = 10;
/// Bytes that are compressed in some ten milliseconds, on slow levels and on others.
const SLOW_STEP_BYTES: usize = 16 << 10;
const STEP_BYTES: usize = 256 << 10;

/// One column of a group while its values are compressed.
pub(crate) struct Framing {
    zstd: Arc<dyn ZstdEncoders>,
    framer: ValueFramer,
    step_bytes: usize,
}

impl Framing {
    /// For column `at` of the `columns` of a group.
    pub(crate) fn new(
        frames: &dyn ValueFrames,
        zstd: &Arc<dyn ZstdEncoders>,
        spec: &RunSpec,
        columns: &[Vec<Column>],
        at: usize,
    ) -> Result<Framing, CodecError> {
        let read = read_columns(frames, spec);
        let vectors = columns.get(at).map(Vec::as_slice).unwrap_or_default();
        let mut values = no_strings();
        let mut chosen = Vec::new();
        for (number, vector) in vectors.iter().enumerate() {
            let vector_of = |at: &usize| columns.get(*at).and_then(|column| column.get(number));
            let inputs = read.as_ref();
            let inputs = inputs.map(|read| read.iter().filter_map(vector_of).collect());
            let of_rows = match inputs {
                Some(inputs) => choose(frames, inputs, vector.len()),
                None => vec![ValueFrame::Raw; vector.len()],
            };
            let present = of_rows.into_iter().enumerate();
            let present = present.filter(|(row, _)| !vector.is_null(*row));
            chosen.extend(present.map(|(_, frame)| frame));
            put_column_strings(vector, &mut values)?;
        }
        let level = frames.level();
        let dictionary = |number| frames.dictionary(number);
        Ok(Framing {
            zstd: Arc::clone(zstd),
            framer: ValueFramer::new(values, chosen, level, &dictionary)?,
            step_bytes: if level < SLOW_LEVEL {
                STEP_BYTES
            } else {
                SLOW_STEP_BYTES
            },
        })
    }

    /// Compresses the next values; tells whether there are more.
    pub(crate) fn step(&mut self) -> Result<bool, CodecError> {
        let mut encoder = self.zstd.encoder();
        self.framer.step(&mut *encoder, self.step_bytes)
    }

    /// The block of all values, which are compressed; see [`ValueFramer::finish`].
    pub(crate) fn finish(
        self,
        vector_rows: &[usize],
        other: EncodedBlock,
        last_shared: &[u8],
        stage: Stage,
    ) -> Result<FramedBlock, CodecError> {
        self.framer.finish(vector_rows, other, last_shared, stage)
    }
}

/// The choice for each of so many rows, however many were told.
fn choose(frames: &dyn ValueFrames, inputs: Vec<&Column>, rows: usize) -> Vec<ValueFrame> {
    let mut chosen = frames.choose(&inputs, rows);
    chosen.resize(rows, ValueFrame::Raw);
    chosen
}

/// Where the columns are that the choice reads; `None` where the run does not hold them all.
fn read_columns(frames: &dyn ValueFrames, spec: &RunSpec) -> Option<Vec<usize>> {
    let place = |id: &ColumnId| {
        let mut columns = spec.columns.iter();
        columns.position(|column| column.id == *id && column.holds == Holds::Values)
    };
    frames.reads().iter().map(place).collect()
}
