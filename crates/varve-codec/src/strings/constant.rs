//! Constant: one string for all rows.
//!
//! Pays whenever it can be used: the string and a tag. There is no worst case, since vectors with
//! two values do not take it.
//! Layout: the bytes of the string, to the end.

use crate::CodecError;
use crate::reader::ByteReader;
use crate::string_data::Strings;

/// Bytes after the tag.
pub(super) fn estimate(string: &[u8]) -> usize {
    string.len()
}

pub(super) fn encode(string: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(string);
}

pub(super) fn decode(reader: ByteReader<'_>, bytes_max: usize) -> Result<Strings, CodecError> {
    gather(reader, 1, bytes_max)
}

pub(super) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    let mut strings = Strings::with_capacity(rows);
    for _ in 0..rows {
        strings.push(reader.rest(), bytes_max)?;
    }
    Ok(strings)
}
