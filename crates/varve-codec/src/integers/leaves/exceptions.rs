//! The rows of a vector whose values a codec could not hold.
//!
//! Layout: number of exceptions (varint), their rows, ascending, packed in the width of the
//! vector's last row. What stands for their values is the codec's business.

use crate::CodecError;
use crate::bits::{index_width, pack, packed_bytes, unpack};
use crate::reader::ByteReader;
use crate::writer::{put_varint, varint_bytes};

/// Bytes of [`put_rows`].
pub(crate) fn rows_bytes(exceptions: usize, rows: usize) -> usize {
    varint_bytes(exceptions as u64) + packed_bytes(exceptions, index_width(rows))
}

/// Writes which of `rows` rows are exceptions.
pub(crate) fn put_rows(exceptions: &[u16], rows: usize, out: &mut Vec<u8>) {
    put_varint(exceptions.len() as u64, out);
    let exceptions = exceptions.iter().map(|row| u64::from(*row));
    pack(exceptions, index_width(rows), out);
}

/// What [`put_rows`] wrote; ascending rows of a vector of `rows`.
pub(crate) fn take_rows(reader: &mut ByteReader<'_>, rows: usize) -> Result<Vec<u16>, CodecError> {
    let count = reader.count(0, rows, "number of exceptions")?;
    let width = index_width(rows);
    let packed = reader.take(packed_bytes(count, width))?;
    let exceptions = unpack(packed, width, count, |row| {
        u16::try_from(row).unwrap_or(u16::MAX)
    });
    let last = exceptions.last().map_or(0, |row| usize::from(*row) + 1);
    if last > rows || !exceptions.is_sorted_by(|a, b| a < b) {
        return Err(CodecError::Malformed("exception rows"));
    }
    Ok(exceptions)
}

/// Puts `patches` into the values of `exceptions`.
pub(crate) fn patch(values: &mut [i64], exceptions: &[u16], patches: &[i64]) {
    for (row, patch) in exceptions.iter().zip(patches) {
        if let Some(value) = values.get_mut(usize::from(*row)) {
            *value = *patch;
        }
    }
}

/// Puts `patches` into values that were gathered from `positions`.
pub(crate) fn patch_gathered(
    values: &mut [i64],
    positions: &[u16],
    exceptions: &[u16],
    patches: &[i64],
) {
    if exceptions.is_empty() {
        return;
    }
    for (value, position) in values.iter_mut().zip(positions) {
        if let Ok(at) = exceptions.binary_search(position)
            && let Some(patch) = patches.get(at)
        {
            *value = *patch;
        }
    }
}
