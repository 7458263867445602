//! What the integers of a vector stand for.

use crate::error::CodecError;

/// What the integers of a vector stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerKind {
    /// Integers of 32 bits, widened.
    Int32,
    /// Integers of 64 bits.
    Int64,
    /// Doubles, by [`crate::integer_from_f64`].
    Float64,
}

impl IntegerKind {
    /// Bytes of one plain value.
    pub(crate) fn plain_bytes(self) -> usize {
        match self {
            IntegerKind::Int32 => 4,
            IntegerKind::Int64 | IntegerKind::Float64 => 8,
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            IntegerKind::Int32 => 0,
            IntegerKind::Int64 => 1,
            IntegerKind::Float64 => 2,
        }
    }

    pub(crate) fn from_code(code: u8) -> Result<IntegerKind, CodecError> {
        Ok(match code {
            0 => IntegerKind::Int32,
            1 => IntegerKind::Int64,
            2 => IntegerKind::Float64,
            _ => return Err(CodecError::Malformed("integer kind")),
        })
    }
}
