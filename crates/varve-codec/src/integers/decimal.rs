//! Decimal: doubles that are decimal numbers, as integers over one power of ten, and the rest as
//! exceptions.
//!
//! No longer written: ALP holds the same numbers and is quicker to decode. Old stores have it.
//! Layout: exponent (u8), number of exceptions (varint), their positions (u16 each) and integers
//! (i64 each), the integers as a nested leaf of 64-bit integers.

use crate::float::integer_from_f64;
use crate::integers::{IntegerKind, decode_plain, gather_plain};
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
    let mut integers = decode_plain(
        scope.nested()?,
        IntegerKind::Int64,
        stored.scaled_integers,
        rows,
    )?;
    for integer in &mut integers {
        *integer = unscaled(*integer, stored.power);
    }
    for (row, exception) in stored.exceptions() {
        if let Some(integer) = integers.get_mut(usize::from(row)) {
            *integer = exception;
        }
    }
    Ok(integers)
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(reader, rows)?;
    let scaled_integers = gather_plain(
        scope.nested()?,
        IntegerKind::Int64,
        stored.scaled_integers,
        rows,
        positions,
    )?;
    let integer = |(position, scaled_integer): (&u16, i64)| {
        let exception = stored.exceptions().find(|(row, _)| row == position);
        exception.map_or_else(
            || unscaled(scaled_integer, stored.power),
            |(_, integer)| integer,
        )
    };
    Ok(positions.iter().zip(scaled_integers).map(integer).collect())
}

/// The parts as stored.
pub(crate) struct Stored<'a> {
    pub(crate) power: f64,
    rows: &'a [u8],
    integers: &'a [u8],
    pub(crate) scaled_integers: &'a [u8],
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
            integers: reader.take(exceptions * 8)?,
            scaled_integers: reader.rest(),
        };
        let ascending = stored.exceptions().is_sorted_by(|a, b| a.0 < b.0);
        let last = stored.exceptions().last();
        if !ascending || last.is_some_and(|(row, _)| usize::from(row) >= rows) {
            return Err(CodecError::Malformed("exception position"));
        }
        Ok(stored)
    }

    /// The rows that have integers of their own, ascending.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (u16, i64)> + '_ {
        let rows = self.rows.as_chunks::<2>().0.iter();
        let integers = self.integers.as_chunks::<8>().0.iter();
        rows.zip(integers)
            .map(|(row, integer)| (u16::from_le_bytes(*row), i64::from_le_bytes(*integer)))
    }
}

/// The integer of a scaled integer; it rises as that does.
pub(crate) fn unscaled(scaled_integer: i64, power: f64) -> i64 {
    integer_from_f64(scaled_integer as f64 / power)
}
