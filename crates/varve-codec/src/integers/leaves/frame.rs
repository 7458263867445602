//! Frame of reference with bit-packing: each value as its distance from the least.
//!
//! Pays on integers of a narrow range, in constant time for any one value. Worst case: one outlier
//! widens all rows, and the result is 20 bytes longer than plain.
//! Paper: Goldstein, Ramakrishnan, Shaft, "Compressing Relations and Indexes" (1998).
//! Layout: least value (zigzag varint), width (u8), packed distances.

use crate::CodecError;
use crate::bits::{checked_width, get, pack, packed_bytes, width_for};
use crate::integers::leaves::stats::Stats;
use crate::reader::ByteReader;
use crate::writer::{put_zigzag, zigzag_bytes};

/// Bytes after the tag.
pub(crate) fn estimate(stats: &Stats) -> usize {
    zigzag_bytes(stats.min) + 1 + packed_bytes(stats.rows, width_for(stats.span()))
}

pub(crate) fn encode(values: &[i64], stats: &Stats, out: &mut Vec<u8>) {
    put_zigzag(stats.min, out);
    put_packed(values.iter().copied(), stats.min, stats.span(), out);
}

pub(crate) fn decode(reader: ByteReader<'_>, rows: usize) -> Result<Vec<i64>, CodecError> {
    let (base, width, packed) = take(reader, rows)?;
    Ok(varve_kernels::unpack(packed, width, rows, base))
}

pub(crate) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let (base, width, packed) = take(reader, rows)?;
    let at = |position: &u16| {
        base.wrapping_add(get(packed, width, usize::from(*position)).cast_signed())
    };
    Ok(positions.iter().map(at).collect())
}

/// The least value, the width and the packed distances.
pub(crate) fn take(
    mut reader: ByteReader<'_>,
    rows: usize,
) -> Result<(i64, u32, &[u8]), CodecError> {
    let base = reader.zigzag()?;
    let (width, packed) = take_packed(reader, rows)?;
    Ok((base, width, packed))
}

/// Writes a width and the distances of the values from `base`, none above `span`.
pub(crate) fn put_packed(
    values: impl Iterator<Item = i64>,
    base: i64,
    span: u64,
    out: &mut Vec<u8>,
) {
    let width = width_for(span);
    out.push(width.to_le_bytes()[0]);
    let distances = values.map(|value| value.wrapping_sub(base).cast_unsigned());
    pack(distances, width, out);
}

/// What [`put_packed`] wrote for `count` values, to the end of the bytes.
pub(crate) fn take_packed(
    mut reader: ByteReader<'_>,
    count: usize,
) -> Result<(u32, &[u8]), CodecError> {
    let width = checked_width(reader.u8()?)?;
    let packed = reader.take(packed_bytes(count, width))?;
    reader.end()?;
    Ok((width, packed))
}
