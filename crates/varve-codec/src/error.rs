//! Why bytes could not be decoded, or values not encoded.

use crate::Codec;

/// Bytes that no encoder wrote, or a call past a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodecError {
    /// The bytes end before the vector does.
    UnexpectedEnd,
    /// Bytes follow the end of the vector.
    TrailingBytes,
    /// The tag names no codec that may stand here.
    UnknownTag(u8),
    /// A parameter is outside what its codec writes; names the parameter.
    Malformed(&'static str),
    /// The result would pass the caller's limit.
    TooLarge {
        /// Bytes needed.
        bytes: usize,
        /// Bytes allowed.
        bytes_max: usize,
    },
    /// A frame names a dictionary that is not there.
    MissingDictionary(u64),
    /// A codec was named that cannot hold values of this type.
    UnsuitedCodec(Codec),
    /// More rows than a vector holds.
    TooManyRows(usize),
    /// A position at or past the number of rows.
    PositionOutOfRange {
        /// The position asked for.
        position: usize,
        /// Rows of the vector.
        rows: usize,
    },
}

impl core::fmt::Display for CodecError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            CodecError::UnexpectedEnd => write!(f, "encoded bytes end too early"),
            CodecError::TrailingBytes => write!(f, "bytes follow the encoded vector"),
            CodecError::UnknownTag(tag) => write!(f, "no codec has tag {tag}"),
            CodecError::Malformed(what) => write!(f, "malformed {what}"),
            CodecError::TooLarge { bytes, bytes_max } => {
                write!(f, "{bytes} decoded bytes exceed the limit of {bytes_max}")
            }
            CodecError::MissingDictionary(id) => write!(f, "dictionary {id} is missing"),
            CodecError::UnsuitedCodec(codec) => {
                write!(f, "codec {codec} does not suit the type of these values")
            }
            CodecError::TooManyRows(rows) => write!(f, "{rows} rows exceed a vector"),
            CodecError::PositionOutOfRange { position, rows } => {
                write!(f, "position {position} is outside {rows} rows")
            }
        }
    }
}

impl core::error::Error for CodecError {}
