//! Delta with a frame of reference: each value as its distance from the one before, less the least
//! distance.
//!
//! Pays on ids and timestamps that rise evenly: a plain sequence takes no bits at all. Worst case:
//! 30 bytes over plain; and a read of one row adds up all before it, so the chooser wants an eighth
//! saved over a plain frame.
//! Paper: Lemire and Boytsov, "Decoding billions of integers per second through vectorization"
//! (2015).
//! Layout: first value, least distance (zigzag varints), width (u8), packed distances of all rows
//! but the first.

use crate::CodecError;
use crate::bits::{packed_bytes, width_for};
use crate::integers::leaves::frame::{put_packed, take_packed};
use crate::integers::leaves::stats::Stats;
use crate::positions::{pick, rows_through};
use crate::reader::ByteReader;
use crate::writer::{put_zigzag, zigzag_bytes};

/// The distances from each value to the next.
pub(crate) fn steps(values: &[i64]) -> Vec<i64> {
    let pairs = values.iter().zip(values.iter().skip(1));
    pairs
        .map(|(previous, value)| value.wrapping_sub(*previous))
        .collect()
}

/// Bytes after the tag, or `None` for less than two rows.
pub(crate) fn estimate(stats: &Stats) -> Option<usize> {
    let packed = packed_bytes(stats.rows.checked_sub(1)?, width_for(stats.delta_span()));
    let header = zigzag_bytes(stats.first) + zigzag_bytes(stats.delta_min) + 1;
    (stats.rows > 1).then_some(header + packed)
}

pub(crate) fn encode(values: &[i64], stats: &Stats, out: &mut Vec<u8>) {
    put_zigzag(stats.first, out);
    put_zigzag(stats.delta_min, out);
    let steps = values.iter().zip(values.iter().skip(1));
    let deltas = steps.map(|(previous, value)| value.wrapping_sub(*previous));
    put_packed(deltas, stats.delta_min, stats.delta_span(), out);
}

pub(crate) fn decode(reader: ByteReader<'_>, rows: usize) -> Result<Vec<i64>, CodecError> {
    decode_front(reader, rows, rows)
}

pub(crate) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let front = rows_through(positions);
    pick(&decode_front(reader, rows, front)?, positions)
}

/// The first `front` of `rows` values.
fn decode_front(
    mut reader: ByteReader<'_>,
    rows: usize,
    front: usize,
) -> Result<Vec<i64>, CodecError> {
    let distances = rows
        .checked_sub(1)
        .ok_or(CodecError::Malformed("row count"))?;
    let first = reader.zigzag()?;
    let base = reader.zigzag()?;
    let (width, packed) = take_packed(reader, distances)?;
    let mut values = varve_kernels::unpack(packed, width, front.min(rows), base);
    varve_kernels::prefix_sums(&mut values, first);
    Ok(values)
}
