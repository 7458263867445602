//! Who says how each value of a column is compressed on its own by zstd.

use std::sync::Arc;

use varve_codec::{
    CodecError, EncodedBlock, FramedBlock, Stage, Strings, ValueFrame, ValueFramer, ZstdDictionary,
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

    /// The most bytes of values that are compressed before others have their turn.
    fn step_bytes_max(&self) -> usize {
        usize::MAX
    }

    /// The dictionary of a number that was chosen.
    fn dictionary(&self, number: i32) -> Option<ZstdDictionary>;
}

/// From this level on few bytes are compressed at once.
const SLOW_LEVEL: u8 = 10;
/// Bytes that are compressed in some ten milliseconds, on slow levels and on others.
const SLOW_STEP_BYTES: usize = 16 << 10;
const STEP_BYTES: usize = 256 << 10;

/// One column of a group while its values are compressed: in steps, first vector by vector the
/// choice, then the values.
pub(crate) struct Framing {
    zstd: Arc<dyn ZstdEncoders>,
    frames: Arc<dyn ValueFrames>,
    /// Where the columns are that the choice reads; `None` where the run does not hold them all.
    reads: Option<Vec<usize>>,
    progress: Progress,
}

enum Progress {
    /// The values of the first vectors that are not NULL, and how they are compressed.
    Choosing {
        vectors: usize,
        values: Strings,
        chosen: Vec<ValueFrame>,
    },
    Compressing(ValueFramer),
}

impl Framing {
    /// For a column of groups of `spec`.
    pub(crate) fn new(
        frames: &Arc<dyn ValueFrames>,
        zstd: &Arc<dyn ZstdEncoders>,
        spec: &RunSpec,
    ) -> Framing {
        Framing {
            zstd: Arc::clone(zstd),
            frames: Arc::clone(frames),
            reads: read_columns(&**frames, spec),
            progress: Progress::Choosing {
                vectors: 0,
                values: no_strings(),
                chosen: Vec::new(),
            },
        }
    }

    /// Goes on with column `at` of the `columns` of a group; tells whether there is more to do.
    pub(crate) fn step(&mut self, columns: &[Vec<Column>], at: usize) -> Result<bool, CodecError> {
        match &mut self.progress {
            Progress::Compressing(framer) => {
                let step_bytes = match self.frames.level() {
                    ..SLOW_LEVEL => STEP_BYTES,
                    _ => SLOW_STEP_BYTES,
                };
                let step_bytes = step_bytes.min(self.frames.step_bytes_max());
                Ok(framer.step(&mut *self.zstd.encoder(), step_bytes))
            }
            Progress::Choosing {
                vectors,
                values,
                chosen,
            } => {
                let column = columns.get(at);
                if let Some(vector) = column.and_then(|column| column.get(*vectors)) {
                    let inputs = self.reads.as_ref().map(|reads| {
                        let of_vector = |at: &usize| columns.get(*at)?.get(*vectors);
                        reads.iter().filter_map(of_vector).collect::<Vec<&Column>>()
                    });
                    let of_rows = choose(&*self.frames, inputs, vector.len());
                    let present = of_rows.into_iter().enumerate();
                    let present = present.filter(|(row, _)| !vector.is_null(*row));
                    chosen.extend(present.map(|(_, frame)| frame));
                    put_column_strings(vector, values)?;
                    *vectors += 1;
                } else {
                    let values = core::mem::replace(values, no_strings());
                    let chosen = core::mem::take(chosen);
                    let dictionary = |number| self.frames.dictionary(number);
                    let level = self.frames.level();
                    let framer = ValueFramer::new(values, chosen, level, &dictionary)?;
                    self.progress = Progress::Compressing(framer);
                }
                Ok(true)
            }
        }
    }

    /// The block of all values, which are compressed; see [`ValueFramer::finish`].
    pub(crate) fn finish(
        self,
        vector_rows: &[usize],
        other: EncodedBlock,
        last_shared: &[u8],
        stage: Stage,
    ) -> Result<FramedBlock, CodecError> {
        match self.progress {
            Progress::Compressing(framer) => framer.finish(vector_rows, other, last_shared, stage),
            Progress::Choosing { .. } => Err(CodecError::Malformed("values without a choice")),
        }
    }
}

/// The choice for each of so many rows, however many were told.
fn choose(frames: &dyn ValueFrames, inputs: Option<Vec<&Column>>, rows: usize) -> Vec<ValueFrame> {
    let mut chosen = inputs.map_or(Vec::new(), |inputs| frames.choose(&inputs, rows));
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
