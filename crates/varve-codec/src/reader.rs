//! Takes fields off the front of encoded bytes.

use crate::CodecError;
use crate::writer::unfold;

/// What is left of some bytes; every read is checked, and none allocates.
#[derive(Clone, Copy, Debug)]
pub struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    /// Reads from the front of `bytes`.
    pub fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader(bytes)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, CodecError> {
        let (byte, rest) = self.0.split_first().ok_or(CodecError::UnexpectedEnd)?;
        self.0 = rest;
        Ok(*byte)
    }

    /// The next `bytes` bytes.
    pub fn take(&mut self, bytes: usize) -> Result<&'a [u8], CodecError> {
        let (taken, rest) = self
            .0
            .split_at_checked(bytes)
            .ok_or(CodecError::UnexpectedEnd)?;
        self.0 = rest;
        Ok(taken)
    }

    /// An unsigned LEB128 of at most ten bytes.
    pub fn varint(&mut self) -> Result<u64, CodecError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                break;
            }
            value |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(CodecError::Malformed("varint"))
    }

    /// A signed number, folded so that small magnitudes are short.
    pub fn zigzag(&mut self) -> Result<i64, CodecError> {
        Ok(unfold(self.varint()?))
    }

    /// A varint that must be at least `min` and at most `max`.
    pub fn count(
        &mut self,
        min: usize,
        max: usize,
        what: &'static str,
    ) -> Result<usize, CodecError> {
        let value = usize::try_from(self.varint()?).map_err(|_| CodecError::Malformed(what))?;
        if (min..=max).contains(&value) {
            Ok(value)
        } else {
            Err(CodecError::Malformed(what))
        }
    }

    /// What [`crate::writer::put_nested`] wrote.
    pub(crate) fn nested(&mut self) -> Result<&'a [u8], CodecError> {
        let bytes = self.count(0, self.0.len(), "nested length")?;
        self.take(bytes)
    }

    /// Everything that is left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Refuses bytes that are left over.
    pub fn end(self) -> Result<(), CodecError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(CodecError::TrailingBytes)
        }
    }
}
