//! Wide numbers: 128 bits, as decimals of up to 38 digits and UUIDs have them.
//!
//! They are cut into integers of 64 bits and fewer, each of which takes the codec that suits it:
//! small decimals are one integer; UUIDs of version 7 give a timestamp that rises and a random
//! rest. Worst case: random bits cost 16 bytes and a few more. Layout: cut (u8: 0 all fit 64 bits,
//! 1 high and low half, 2 the top 48 bits, the next 16, the low half), then by integer the bytes
//! (varint) of its nested vector, and those.

use crate::integers::{IntegerKind, IntegerPlan, decode_plain, gather_plain};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::writer::put_nested;
use crate::{CodecError, ROWS_MAX, Shared};

/// Bits of each integer, from the top; all but the first are unsigned.
const NARROW: &[u32] = &[64];
const HALVES: &[u32] = &[64, 64];
const UUID: &[u32] = &[48, 16, 64];

/// Appends the values of one vector in the smallest cut.
pub fn encode_wide(values: &[i128], out: &mut Vec<u8>) -> Result<(), CodecError> {
    if values.len() > ROWS_MAX {
        return Err(CodecError::TooManyRows(values.len()));
    }
    let narrow = values.iter().all(|value| i64::try_from(*value).is_ok());
    let cuts: &[u8] = if narrow { &[0] } else { &[1, 2] };
    let written = cuts
        .iter()
        .filter_map(|cut| Some(write(*cut, widths(*cut).ok()?, values)));
    if let Some(best) = written.min_by_key(Vec::len) {
        out.extend_from_slice(&best);
    }
    Ok(())
}

fn write(cut: u8, widths: &[u32], values: &[i128]) -> Vec<u8> {
    let mut out = vec![cut];
    let mut below: u32 = widths.iter().sum();
    for width in widths {
        below -= width;
        let integers: Vec<i64> = values
            .iter()
            .map(|value| low_integer(*value >> below, *width))
            .collect();
        put_nested(&mut out, |out| {
            IntegerPlan::Basic.encode(IntegerKind::Int64, &integers, out);
        });
    }
    out
}

/// The `rows` values in `bytes`.
pub fn decode_wide(bytes: &[u8], rows: usize) -> Result<Vec<i128>, CodecError> {
    join(bytes, rows, |scope, nested| {
        decode_plain(scope, IntegerKind::Int64, nested, rows)
    })
}

/// The values at `positions`, in that order.
pub fn gather_wide(bytes: &[u8], rows: usize, positions: &[u16]) -> Result<Vec<i128>, CodecError> {
    join(bytes, positions.len(), |scope, nested| {
        gather_plain(scope, IntegerKind::Int64, nested, rows, positions)
    })
}

fn join(
    bytes: &[u8],
    rows: usize,
    read: impl Fn(Scope<'_>, &[u8]) -> Result<Vec<i64>, CodecError>,
) -> Result<Vec<i128>, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let shared = Shared::default();
    let scope = Scope::new(&shared, 0);
    let mut reader = ByteReader::new(bytes);
    let cut = reader.u8()?;
    let mut values = vec![0_i128; rows];
    for (i, width) in widths(cut)?.iter().enumerate() {
        let integers = read(scope, reader.nested()?)?;
        for (value, integer) in values.iter_mut().zip(integers) {
            *value = match (i, cut) {
                (0, 0) => i128::from(integer),
                _ => *value << width | i128::from(integer) & !(-1 << width),
            };
        }
    }
    reader.end()?;
    Ok(values)
}

fn widths(cut: u8) -> Result<&'static [u32], CodecError> {
    match cut {
        0 => Ok(NARROW),
        1 => Ok(HALVES),
        2 => Ok(UUID),
        _ => Err(CodecError::Malformed("cut of wide numbers")),
    }
}

/// The low `width` bits as an integer.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the bits above are masked away"
)]
fn low_integer(value: i128, width: u32) -> i64 {
    let integer = value as i64;
    if width < 64 {
        integer & !(-1 << width)
    } else {
        integer
    }
}
