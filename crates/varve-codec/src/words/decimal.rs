//! Decimal: doubles that are decimal numbers, as integers over one power of ten, and the rest as
//! exceptions.
//!
//! Pays on prices and measurements with few digits: the integers then take a frame or deltas. Exact
//! to the bit, since an integer below 2^53 divided by a power of ten up to 10^15 rounds to the same
//! double as the decimal text. Worst case: full-precision doubles are all exceptions at ten bytes
//! each, so the chooser gives up above one in eight.
//! Paper: Afroozeh, Kuffo, Boncz, "ALP: Adaptive Lossless floating-Point Compression" (2023), here
//! with division instead of its inexact multiplication.
//! Layout: exponent (u8), number of exceptions (varint), their positions (u16 each) and words (i64
//! each), the integers as a nested leaf of 64-bit integers.

use super::{WordKind, decode_plain, gather_plain, leaf};
use crate::float::{f64_from_word, word_from_f64};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::writer::{put_varint, varint_bytes};
use crate::{CodecError, ROWS_MAX};

const POWERS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];
/// Integers up to here are exact as doubles.
const INTEGER_MAX: f64 = 9_007_199_254_740_992.0;
const EXCEPTION_BYTES: usize = 10;
/// The exponent is chosen on the values at the front.
const SAMPLE: usize = 64;

/// A vector of doubles taken apart.
pub(super) struct Parts {
    exponent: u8,
    exceptions: Vec<(u16, i64)>,
    pub(super) integers: Vec<i64>,
}

impl Parts {
    /// Takes words apart; `None` when more than one in eight is no short decimal.
    pub(super) fn of(words: &[i64]) -> Option<Parts> {
        let misses = |power: f64| {
            let sample = words.iter().take(SAMPLE);
            sample
                .filter(|word| scaled(**word, power).is_none())
                .count()
        };
        let (exponent, power) = (0_u8..)
            .zip(POWERS)
            .min_by_key(|(_, power)| misses(*power))?;
        let mut parts = Parts {
            exponent,
            exceptions: Vec::new(),
            integers: Vec::with_capacity(words.len()),
        };
        // An exception takes the integer before it, which costs the least in a frame and in deltas.
        let mut last = words.iter().find_map(|word| scaled(*word, power))?;
        for (row, word) in (0_u16..).zip(words) {
            match scaled(*word, power) {
                Some(integer) => last = integer,
                None => parts.exceptions.push((row, *word)),
            }
            parts.integers.push(last);
        }
        (parts.exceptions.len() * 8 <= words.len()).then_some(parts)
    }

    /// Bytes after the tag, given how many the integers take.
    pub(super) fn estimate(&self, integers_bytes: usize) -> usize {
        let exceptions = self.exceptions.len();
        1 + varint_bytes(exceptions as u64) + exceptions * EXCEPTION_BYTES + integers_bytes
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.exponent);
        put_varint(self.exceptions.len() as u64, out);
        for (row, _) in &self.exceptions {
            out.extend_from_slice(&row.to_le_bytes());
        }
        for (_, word) in &self.exceptions {
            out.extend_from_slice(&word.to_le_bytes());
        }
        leaf::encode(WordKind::Int64, &self.integers, out);
    }
}

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

/// The integer that stands for a word, if dividing it by `power` gives the same bits back.
fn scaled(word: i64, power: f64) -> Option<i64> {
    let product = (f64_from_word(word) * power).round_ties_even();
    if !(-INTEGER_MAX..=INTEGER_MAX).contains(&product) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an integer of at most 2^53"
    )]
    let integer = product as i64;
    (unscaled(integer, power) == word).then_some(integer)
}

/// The word of an integer; it rises as the integer does.
pub(crate) fn unscaled(integer: i64, power: f64) -> i64 {
    word_from_f64(integer as f64 / power)
}
