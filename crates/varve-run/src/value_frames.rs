//! Who says how each value of a column is compressed on its own by zstd.

use varve_codec::{ValueFrame, ZstdDictionary};
use varve_types::{Column, ColumnId};

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
