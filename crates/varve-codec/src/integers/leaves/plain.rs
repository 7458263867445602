//! Plain: every value in the width of its kind.
//!
//! Pays where nothing else does, on full-precision doubles and hashes; it is itself the worst case
//! of the others.
//! Layout: 4 or 8 bytes a value, little-endian two's complement.

use crate::CodecError;
use crate::integers::leaves::kind::IntegerKind;
use crate::integers::leaves::stats::Stats;
use crate::reader::ByteReader;

/// Bytes after the tag.
pub(crate) fn estimate(kind: IntegerKind, stats: &Stats) -> usize {
    stats.rows * kind.plain_bytes()
}

pub(crate) fn encode(kind: IntegerKind, values: &[i64], out: &mut Vec<u8>) {
    for value in values {
        out.extend(value.to_le_bytes().iter().take(kind.plain_bytes()));
    }
}

pub(crate) fn decode(
    kind: IntegerKind,
    mut reader: ByteReader<'_>,
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    let bytes = reader.take(rows * kind.plain_bytes())?;
    reader.end()?;
    Ok(match kind {
        IntegerKind::Int32 => integers32(bytes).map(i64::from).collect(),
        IntegerKind::Int64 | IntegerKind::Float64 => integers64(bytes).collect(),
    })
}

pub(crate) fn gather(
    kind: IntegerKind,
    mut reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let width = kind.plain_bytes();
    let bytes = reader.take(rows * width)?;
    reader.end()?;
    let at = |position: &u16| {
        let value = bytes.get(usize::from(*position) * width..)?;
        match kind {
            IntegerKind::Int32 => integers32(value).next().map(i64::from),
            IntegerKind::Int64 | IntegerKind::Float64 => integers64(value).next(),
        }
    };
    let integers: Option<Vec<i64>> = positions.iter().map(at).collect();
    integers.ok_or(CodecError::UnexpectedEnd)
}

fn integers32(bytes: &[u8]) -> impl Iterator<Item = i32> + '_ {
    let chunks = bytes.as_chunks::<4>().0;
    chunks.iter().map(|chunk| i32::from_le_bytes(*chunk))
}

fn integers64(bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    let chunks = bytes.as_chunks::<8>().0;
    chunks.iter().map(|chunk| i64::from_le_bytes(*chunk))
}
