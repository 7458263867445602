//! Bytes that are cut into pieces, one for each string of a vector.

use crate::CodecError;

const LENGTHS: CodecError = CodecError::Malformed("string lengths");

/// The stored bytes of a vector, in pieces.
pub(super) struct Pieces<'a> {
    /// One past the last byte of each piece.
    pub(super) ends: Vec<u32>,
    pub(super) bytes: &'a [u8],
}

impl<'a> Pieces<'a> {
    /// Pieces of these lengths, which together are all of the bytes.
    pub(super) fn cut(bytes: &'a [u8], lengths: &[i64]) -> Result<Pieces<'a>, CodecError> {
        let mut ends = Vec::with_capacity(lengths.len());
        let mut end = 0_u32;
        for length in lengths {
            let length = u32::try_from(*length).map_err(|_| LENGTHS)?;
            end = end.checked_add(length).ok_or(LENGTHS)?;
            ends.push(end);
        }
        if end as usize != bytes.len() {
            return Err(LENGTHS);
        }
        Ok(Pieces { ends, bytes })
    }

    /// The piece at `row`.
    pub(super) fn get(&self, row: usize) -> Result<&'a [u8], CodecError> {
        let start = match row.checked_sub(1) {
            None => Some(&0),
            Some(before) => self.ends.get(before),
        };
        let piece = match (start, self.ends.get(row)) {
            (Some(start), Some(end)) => self.bytes.get(*start as usize..*end as usize),
            _ => None,
        };
        piece.ok_or(LENGTHS)
    }
}
