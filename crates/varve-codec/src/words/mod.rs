//! Vectors of words: integers of 32 or 64 bits, and doubles as words in the order of their values.
//!
//! Every codec works on `i64`, so there is one instance of each; the kind only says how wide a
//! plain value is. A [`WordPlan`] is the cascade that a block's vectors are written in;
//! [`choose_words`] finds the best one.

pub(crate) mod alp;
mod alp_pair;
mod alp_rd;
mod basic;
mod binning;
pub(crate) mod bins;
mod chimp;
mod choose;
pub(crate) mod constant;
pub(crate) mod decimal;
mod delta;
mod delta_of_delta;
mod dictionary;
#[cfg(test)]
pub(crate) mod encodings;
mod exceptions;
pub(crate) mod frame;
mod gorilla;
mod leaf;
mod linear;
pub(crate) mod patched;
mod plain;
mod plan;
mod run_ends;
pub(crate) mod same;
pub(crate) mod shared_dictionary;
mod simple8b;
mod stats;
pub(crate) mod steps;
#[cfg(test)]
mod tests;

use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::{
    CodecError, Decoded, ROWS_MAX, Shared, TAG_BINS, TAG_DICTIONARY, TAG_RUN_ENDS,
    TAG_SHARED_DICTIONARY, TAG_STEPS,
};

pub(crate) use binning::Bin;
pub(crate) use choose::{ChosenWords, Scale, choose_named_words, choose_words, words_of_form};
pub(crate) use dictionary::{Codes, put_codes};
pub use plan::encode_words;
pub(crate) use plan::{SharedWords, WordPlan};
pub(crate) use run_ends::{Runs, put_runs, run_lasts};
pub use same::{decode_same_words, encode_same_words, equal_words_per_mille, gather_same_words};

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

    fn code(self) -> u8 {
        match self {
            WordKind::Int32 => 0,
            WordKind::Int64 => 1,
            WordKind::Float64 => 2,
        }
    }

    fn from_code(code: u8) -> Result<WordKind, CodecError> {
        Ok(match code {
            0 => WordKind::Int32,
            1 => WordKind::Int64,
            2 => WordKind::Float64,
            _ => return Err(CodecError::Malformed("word kind")),
        })
    }
}

/// The `rows` words in `bytes`. Words of kind [`WordKind::Int32`] fit 32 bits.
pub fn decode_words(
    kind: WordKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    decode(Scope::new(shared, 0), kind, bytes, rows)
}

/// As [`decode_words`], one word a row.
pub fn decode_plain_words(
    kind: WordKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    decode_plain(Scope::new(shared, 0), kind, bytes, rows)
}

/// The words at `positions`, in that order, without decoding the others where the codec allows it.
pub fn gather_words(
    kind: WordKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    gather_plain(Scope::new(shared, 0), kind, bytes, rows, positions)
}

/// The word at `position`.
pub fn decode_word(
    kind: WordKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    position: u16,
) -> Result<i64, CodecError> {
    let words = gather_words(kind, shared, bytes, rows, &[position])?;
    words.first().copied().ok_or(CodecError::UnexpectedEnd)
}

/// The words of a vector, nested or not, in the form that they are stored in.
pub(crate) fn decode(
    scope: Scope<'_>,
    kind: WordKind,
    bytes: &[u8],
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let mut reader = ByteReader::new(bytes);
    let decoded = match reader.u8()? {
        TAG_DICTIONARY => dictionary::decode(scope, kind, reader, rows)?,
        TAG_RUN_ENDS => run_ends::decode(scope, kind, reader, rows)?,
        TAG_SHARED_DICTIONARY => shared_dictionary::decode(scope, reader, rows)?,
        TAG_STEPS => Decoded::Plain(steps::decode(scope, reader, rows)?),
        TAG_BINS => Decoded::Plain(bins::decode(scope, reader, rows)?),
        tag => leaf::decode(scope, kind, tag, reader, rows)?,
    };
    match &decoded {
        Decoded::Plain(words) | Decoded::Constant(words) => check_range(kind, words)?,
        Decoded::Dictionary { values, .. } | Decoded::RunEnds { values, .. } => {
            check_range(kind, values)?;
        }
        Decoded::Shared { resource, .. } => {
            // They ascend.
            let values = scope.shared.words(*resource)?;
            for end in [values.first(), values.last()] {
                check_range(kind, end.map_or(&[], core::slice::from_ref))?;
            }
        }
    }
    Ok(decoded)
}

/// As [`decode`], one word a row.
pub(crate) fn decode_plain(
    scope: Scope<'_>,
    kind: WordKind,
    bytes: &[u8],
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    Ok(match decode(scope, kind, bytes, rows)? {
        Decoded::Plain(values) => values,
        Decoded::Constant(value) => vec![value.first().copied().unwrap_or(0); rows],
        Decoded::Dictionary { codes, values } => varve_kernels::look_up(&values, &codes),
        Decoded::Shared { codes, resource } => {
            varve_kernels::look_up(scope.shared.words(resource)?, &codes)
        }
        Decoded::RunEnds { ends, values } => {
            let mut words = Vec::with_capacity(rows);
            for (end, value) in ends.iter().zip(values) {
                words.resize(*end as usize, value);
            }
            words
        }
    })
}

/// The words at `positions` of a vector, nested or not.
pub(crate) fn gather_plain(
    scope: Scope<'_>,
    kind: WordKind,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    check_positions(rows, positions)?;
    let mut reader = ByteReader::new(bytes);
    let words = match reader.u8()? {
        TAG_DICTIONARY => dictionary::gather(scope, kind, reader, rows, positions)?,
        TAG_RUN_ENDS => run_ends::gather(scope, kind, reader, rows, positions)?,
        TAG_SHARED_DICTIONARY => shared_dictionary::gather(scope, reader, rows, positions)?,
        TAG_STEPS => steps::gather(scope, reader, rows, positions)?,
        TAG_BINS => bins::gather(scope, reader, rows, positions)?,
        tag => leaf::gather(scope, kind, tag, reader, rows, positions)?,
    };
    check_range(kind, &words)?;
    Ok(words)
}

/// The values at `positions` of a vector that had to be decoded whole.
pub(crate) fn pick(values: &[i64], positions: &[u16]) -> Result<Vec<i64>, CodecError> {
    let at = |position: &u16| values.get(usize::from(*position)).copied();
    let words: Option<Vec<i64>> = positions.iter().map(at).collect();
    words.ok_or(CodecError::UnexpectedEnd)
}

/// As [`pick`], where `values` are the last of `rows` rows, from the last back.
pub(crate) fn pick_from_end(
    values: &[i64],
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let at = |position: &u16| {
        let back = rows.checked_sub(usize::from(*position) + 1)?;
        values.get(back).copied()
    };
    let words: Option<Vec<i64>> = positions.iter().map(at).collect();
    words.ok_or(CodecError::UnexpectedEnd)
}

/// How many rows from the front hold all `positions`.
pub(crate) fn rows_through(positions: &[u16]) -> usize {
    let last = positions.iter().max();
    last.map_or(0, |last| usize::from(*last) + 1)
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
    if kind == WordKind::Int32 && !varve_kernels::fit_32_bits(words) {
        return Err(CodecError::Malformed("32-bit value"));
    }
    Ok(())
}
