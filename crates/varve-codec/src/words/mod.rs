//! Vectors of words: integers of 32 or 64 bits, and doubles as words in the order of their values.
//!
//! Every codec works on `i64`, so there is one instance of each; the kind only says how wide a
//! plain value is.

mod choose;
mod constant;
mod decimal;
mod delta;
mod dictionary;
mod frame;
mod leaf;
mod plain;
mod run_ends;
mod stats;
#[cfg(test)]
mod tests;

use crate::reader::ByteReader;
use crate::{CodecError, Decoded, ROWS_MAX, TAG_DICTIONARY, TAG_RUN_ENDS};

pub use choose::encode_words;
pub(crate) use dictionary::{Codes, put_codes};
pub(crate) use run_ends::{Runs, put_runs, run_lasts};

/// What the words of a vector stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// Integers of 32 bits, widened.
    Int32,
    /// Integers of 64 bits.
    Int64,
    /// Doubles, by [`crate::word_from_f64`].
    Float64,
}

impl WordKind {
    /// Bytes of one plain value.
    fn plain_bytes(self) -> usize {
        match self {
            WordKind::Int32 => 4,
            WordKind::Int64 | WordKind::Float64 => 8,
        }
    }
}

/// The `rows` words in `bytes`. Words of kind [`WordKind::Int32`] fit 32 bits.
pub fn decode_words(
    kind: WordKind,
    bytes: &[u8],
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let mut reader = ByteReader::new(bytes);
    let decoded = match reader.u8()? {
        TAG_DICTIONARY => dictionary::decode(kind, reader, rows)?,
        TAG_RUN_ENDS => run_ends::decode(kind, reader, rows)?,
        tag => leaf::decode(kind, tag, reader, rows)?,
    };
    let words = match &decoded {
        Decoded::Plain(words) | Decoded::Constant(words) => words,
        Decoded::Dictionary { values, .. } | Decoded::RunEnds { values, .. } => values,
    };
    check_range(kind, words)?;
    Ok(decoded)
}

/// The words at `positions`, in that order, without decoding the others where the codec allows it.
pub fn gather_words(
    kind: WordKind,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    check_positions(rows, positions)?;
    let mut reader = ByteReader::new(bytes);
    let words = match reader.u8()? {
        TAG_DICTIONARY => dictionary::gather(kind, reader, rows, positions)?,
        TAG_RUN_ENDS => run_ends::gather(kind, reader, rows, positions)?,
        tag => leaf::gather(kind, tag, reader, rows, positions)?,
    };
    check_range(kind, &words)?;
    Ok(words)
}

/// The word at `position`.
pub fn decode_word(
    kind: WordKind,
    bytes: &[u8],
    rows: usize,
    position: u16,
) -> Result<i64, CodecError> {
    let words = gather_words(kind, bytes, rows, &[position])?;
    words.first().copied().ok_or(CodecError::UnexpectedEnd)
}

/// Refuses positions outside a vector, and vectors that are too long.
pub(crate) fn check_positions(rows: usize, positions: &[u16]) -> Result<(), CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    match positions.iter().max() {
        Some(position) if usize::from(*position) >= rows => Err(CodecError::PositionOutOfRange {
            position: usize::from(*position),
            rows,
        }),
        _ => Ok(()),
    }
}

fn check_range(kind: WordKind, words: &[i64]) -> Result<(), CodecError> {
    let fits = |word: &i64| i32::try_from(*word).is_ok();
    if kind == WordKind::Int32 && !words.iter().all(fits) {
        return Err(CodecError::Malformed("32-bit value"));
    }
    Ok(())
}
