//! Constant: one value for all rows.
//!
//! Pays whenever it can be used: at most eleven bytes, and filters test one value. There is no
//! worst case, since vectors with two values do not take it.
//! Layout: zigzag varint.

use crate::CodecError;
use crate::integers::leaves::stats::Stats;
use crate::reader::ByteReader;
use crate::writer::{put_zigzag, zigzag_bytes};

/// Bytes after the tag, or `None` when the values differ.
pub(crate) fn estimate(stats: &Stats) -> Option<usize> {
    (stats.rows > 0 && stats.min == stats.max).then(|| zigzag_bytes(stats.first))
}

pub(crate) fn encode(stats: &Stats, out: &mut Vec<u8>) {
    put_zigzag(stats.first, out);
}

pub(crate) fn decode(mut reader: ByteReader<'_>) -> Result<i64, CodecError> {
    let value = reader.zigzag()?;
    reader.end()?;
    Ok(value)
}

pub(crate) fn gather(reader: ByteReader<'_>, positions: &[u16]) -> Result<Vec<i64>, CodecError> {
    Ok(vec![decode(reader)?; positions.len()])
}
