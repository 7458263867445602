//! Decimal: doubles that are decimal numbers, as integers over one power of ten, and the rest as
//! exceptions.
//!
//! No longer written: ALP holds the same numbers and is quicker to decode. Old stores have it.
//! Layout: exponent (u8), number of exceptions (varint), their positions (u16 each) and words (i64
//! each), the integers as a nested leaf of 64-bit integers.

use super::{WordKind, decode_plain, gather_plain};
use crate::float::word_from_f64;
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::{CodecError, ROWS_MAX};

const POWERS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

pub(super) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(reader, rows)?;
    let mut words = decode_plain(scope.nested()?, WordKind::Int64, stored.integers, rows)?;
    for word in &mut words {
        *word = unscaled(*word, stored.power);
    }
    for (row, exception) in stored.exceptions() {
        if let Some(word) = words.get_mut(usize::from(row)) {
            *word = exception;
        }
    }
    Ok(words)
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(reader, rows)?;
    let integers = gather_plain(
        scope.nested()?,
        WordKind::Int64,
        stored.integers,
        rows,
        positions,
    )?;
    let word = |(position, integer): (&u16, i64)| {
        let exception = stored.exceptions().find(|(row, _)| row == position);
        exception.map_or_else(|| unscaled(integer, stored.power), |(_, word)| word)
    };
    Ok(positions.iter().zip(integers).map(word).collect())
}

/// The parts as stored.
pub(crate) struct Stored<'a> {
    pub(crate) power: f64,
    rows: &'a [u8],
    words: &'a [u8],
    pub(crate) integers: &'a [u8],
}

impl<'a> Stored<'a> {
    pub(crate) fn take(mut reader: ByteReader<'a>, rows: usize) -> Result<Stored<'a>, CodecError> {
        let power = POWERS
            .get(usize::from(reader.u8()?))
            .ok_or(CodecError::Malformed("decimal exponent"))?;
        let exceptions = reader.count(0, rows.min(ROWS_MAX), "number of exceptions")?;
        let stored = Stored {
            power: *power,
            rows: reader.take(exceptions * 2)?,
            words: reader.take(exceptions * 8)?,
            integers: reader.rest(),
        };
        let ascending = stored.exceptions().is_sorted_by(|a, b| a.0 < b.0);
        let last = stored.exceptions().last();
        if !ascending || last.is_some_and(|(row, _)| usize::from(row) >= rows) {
            return Err(CodecError::Malformed("exception position"));
        }
        Ok(stored)
    }

    /// The rows that have words of their own, ascending.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (u16, i64)> + '_ {
        let rows = self.rows.as_chunks::<2>().0.iter();
        let words = self.words.as_chunks::<8>().0.iter();
        rows.zip(words)
            .map(|(row, word)| (u16::from_le_bytes(*row), i64::from_le_bytes(*word)))
    }
}

/// The word of an integer; it rises as the integer does.
pub(crate) fn unscaled(integer: i64, power: f64) -> i64 {
    word_from_f64(integer as f64 / power)
}
