//! Fields that several records share.

use varve_codec::{ByteReader, CodecError, put_varint};

/// Appends bytes after their number.
pub(crate) fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Bytes after their number.
pub(crate) fn take_bytes<'a>(reader: &mut ByteReader<'a>) -> Result<&'a [u8], CodecError> {
    let bytes = reader.count(0, reader.rest().len(), "length")?;
    reader.take(bytes)
}

/// A varint of 32 bits.
pub(crate) fn take_u32(reader: &mut ByteReader<'_>) -> Result<u32, CodecError> {
    u32::try_from(reader.varint()?).map_err(|_| CodecError::Malformed("number"))
}

/// The number of items that follow, each of at least one byte: so it bounds an allocation.
pub(crate) fn take_count(reader: &mut ByteReader<'_>) -> Result<usize, CodecError> {
    reader.count(0, reader.rest().len(), "count")
}
