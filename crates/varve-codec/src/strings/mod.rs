//! Vectors of byte strings, in Arrow's layout: offsets and one buffer.

mod choose;
mod constant;
mod dictionary;
mod leaf;
mod plain;
mod run_ends;
#[cfg(test)]
mod tests;

use crate::reader::ByteReader;
use crate::words::check_positions;
use crate::{CodecError, Decoded, ROWS_MAX, TAG_DICTIONARY, TAG_RUN_ENDS};

pub use choose::encode_strings;

/// Decoded strings: string `i` is `offsets[i]..offsets[i + 1]` of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// One more than strings; the first is 0, the last the number of bytes.
    pub offsets: Vec<u32>,
    /// All strings one after another.
    pub bytes: Vec<u8>,
}

impl Strings {
    fn with_capacity(strings: usize) -> Strings {
        let mut offsets = Vec::with_capacity(strings + 1);
        offsets.push(0);
        Strings {
            offsets,
            bytes: Vec::new(),
        }
    }

    /// Adds a string unless the bytes would pass `bytes_max`.
    fn push(&mut self, string: &[u8], bytes_max: usize) -> Result<(), CodecError> {
        let bytes = self.bytes.len() + string.len();
        let end = u32::try_from(bytes).ok().filter(|_| bytes <= bytes_max);
        let end = end.ok_or(CodecError::TooLarge { bytes, bytes_max })?;
        self.bytes.extend_from_slice(string);
        self.offsets.push(end);
        Ok(())
    }

    /// The same strings, to read.
    pub fn as_ref(&self) -> StringsRef<'_> {
        StringsRef {
            offsets: &self.offsets,
            bytes: &self.bytes,
        }
    }
}

/// Strings to encode, laid out as in [`Strings`]; the first offset may be above 0.
#[derive(Clone, Copy, Debug)]
pub struct StringsRef<'a> {
    /// One more than strings.
    pub offsets: &'a [u32],
    /// The buffer that the offsets point into.
    pub bytes: &'a [u8],
}

impl<'a> StringsRef<'a> {
    /// Number of strings.
    pub fn len(self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no strings.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// String `i`; empty past the end and where offsets do not fit the buffer.
    pub fn get(self, i: usize) -> &'a [u8] {
        match (self.offsets.get(i), self.offsets.get(i + 1)) {
            (Some(start), Some(end)) => self
                .bytes
                .get(*start as usize..*end as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }
}

/// The `rows` strings in `bytes`, of at most `bytes_max` bytes together.
pub fn decode_strings(
    bytes: &[u8],
    rows: usize,
    bytes_max: usize,
) -> Result<Decoded<Strings>, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let mut reader = ByteReader::new(bytes);
    match reader.u8()? {
        TAG_DICTIONARY => dictionary::decode(reader, rows, bytes_max),
        TAG_RUN_ENDS => run_ends::decode(reader, rows, bytes_max),
        tag => leaf::decode(tag, reader, rows, bytes_max),
    }
}

/// The strings at `positions`, in that order, of at most `bytes_max` bytes together.
pub fn gather_strings(
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    check_positions(rows, positions)?;
    let mut reader = ByteReader::new(bytes);
    match reader.u8()? {
        TAG_DICTIONARY => dictionary::gather(reader, rows, positions, bytes_max),
        TAG_RUN_ENDS => run_ends::gather(reader, rows, positions, bytes_max),
        tag => leaf::gather(tag, reader, rows, positions, bytes_max),
    }
}
