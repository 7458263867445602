//! Plain: the lengths of the strings, bit-packed, and their bytes one after another.
//!
//! Pays on distinct strings, mostly with a general stage laid over it. Worst case: one long string
//! widens all lengths, at most four bytes a row over the bytes themselves; a read of one row adds
//! up the lengths before it.
//! Layout: least length (varint), width (u8), packed lengths less the least, then the bytes, to the
//! end.

use crate::CodecError;
use crate::bits::{checked_width, pack, packed_bytes, unpack, width_for};
use crate::positions::rows_through;
use crate::reader::ByteReader;
use crate::string_data::{Strings, StringsRef};
use crate::writer::{put_varint, varint_bytes};

/// Least and greatest length, and bytes in all.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    min: u64,
    max: u64,
    count: usize,
    total: usize,
}

impl Lengths {
    pub(super) fn of<'a>(strings: impl Iterator<Item = &'a [u8]>) -> Lengths {
        let mut lengths = Lengths {
            min: u64::MAX,
            max: 0,
            count: 0,
            total: 0,
        };
        for string in strings {
            lengths.min = lengths.min.min(string.len() as u64);
            lengths.max = lengths.max.max(string.len() as u64);
            lengths.count += 1;
            lengths.total += string.len();
        }
        lengths.min = lengths.min.min(lengths.max);
        lengths
    }

    /// Bytes after the tag.
    pub(super) fn estimate(&self) -> usize {
        let width = width_for(self.max - self.min);
        varint_bytes(self.min) + 1 + packed_bytes(self.count, width) + self.total
    }
}

pub(super) fn encode<'a>(strings: impl Iterator<Item = &'a [u8]> + Clone, out: &mut Vec<u8>) {
    let lengths = Lengths::of(strings.clone());
    let width = width_for(lengths.max - lengths.min);
    put_varint(lengths.min, out);
    out.push(width.to_le_bytes()[0]);
    let over = strings
        .clone()
        .map(|string| string.len() as u64 - lengths.min);
    pack(over, width, out);
    for string in strings {
        out.extend_from_slice(string);
    }
}

pub(super) fn decode(
    reader: ByteReader<'_>,
    rows: usize,
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    let (offsets, bytes) = take(reader, rows, rows)?;
    if offsets
        .last()
        .is_none_or(|end| *end as usize != bytes.len())
    {
        return Err(CodecError::Malformed("string lengths"));
    }
    if bytes.len() > bytes_max {
        return Err(CodecError::TooLarge {
            bytes: bytes.len(),
            bytes_max,
        });
    }
    let bytes = bytes.to_vec();
    Ok(Strings { offsets, bytes })
}

pub(super) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    let front = rows_through(positions);
    let (offsets, bytes) = take(reader, rows, front)?;
    let stored = StringsRef {
        offsets: &offsets,
        bytes,
    };
    let mut strings = Strings::with_capacity(positions.len());
    for position in positions {
        strings.push(stored.get(usize::from(*position)), bytes_max)?;
    }
    Ok(strings)
}

/// The offsets of the first `front` of `rows` strings, none past the bytes, and the bytes of all.
pub(crate) fn take(
    mut reader: ByteReader<'_>,
    rows: usize,
    front: usize,
) -> Result<(Vec<u32>, &[u8]), CodecError> {
    let malformed = CodecError::Malformed("string lengths");
    let min = reader.varint()?;
    let width = checked_width(reader.u8()?)?;
    let packed = reader.take(packed_bytes(rows, width))?;
    let bytes = reader.rest();
    let lengths = unpack(packed, width, front, |over| min.saturating_add(over));
    let mut offsets = Vec::with_capacity(front + 1);
    offsets.push(0);
    let mut end = 0_u64;
    for length in lengths {
        end = end.saturating_add(length);
        offsets.push(u32::try_from(end).map_err(|_| malformed)?);
    }
    if end > bytes.len() as u64 {
        return Err(malformed);
    }
    Ok((offsets, bytes))
}
