//! Value frames: each value a zstd frame of its own, with or without a dictionary of the shared
//! part.
//!
//! Pays on long text that is read value by value: one value is decoded alone, and finds in the
//! dictionary what it has in common with the others. Never chosen for a block by itself: somebody
//! asks for it, and says how each value is compressed; other codecs are taken for vectors where
//! they are smaller. Worst case: values of a few bytes, which are stored as they are where their
//! frame is not shorter.
//!
//! Layout: number of ways (u8), and of each 0 for values as they are, 1 for frames without a
//! dictionary, 2 and the resource (u8) for frames with one; where there are several, bytes of the
//! codes (varint) and the way of each value, as nested integers of 32 bits; bytes of the lengths
//! (varint) and the length of each value as nested integers, the same of the lengths as stored;
//! then the stored bytes. Frames are compact ones (see [`crate::ZstdFraming`]); a value whose
//! stored length is its own length is stored as it is.

mod choose;
mod encode;
#[cfg(test)]
#[cfg(feature = "zstd-encode")]
mod tests;

use crate::integers::{self, IntegerKind};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::Strings;
use crate::strings::pieces::Pieces;
use crate::{CodecError, ZstdDecoder, ZstdDictionary, ZstdFraming};

pub use encode::{BytesByWay, FramedBlock, ValueFrameBytes, ValueFramer};

/// How a value is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueFrame {
    /// Not at all.
    Raw,
    /// Without a dictionary.
    Alone,
    /// With the dictionary of this number.
    With(i32),
}

const WAY_RAW: u8 = 0;
const WAY_ALONE: u8 = 1;
const WAY_DICTIONARY: u8 = 2;

const LENGTHS: CodecError = CodecError::Malformed("lengths of value frames");
const WAYS: CodecError = CodecError::Malformed("ways of value frames");

pub(super) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Strings, CodecError> {
    let stored = StoredValues::take(scope, reader, rows)?;
    let mut strings = Strings::with_capacity(rows);
    let mut decoder = ZstdDecoder::new();
    for row in 0..rows {
        stored.append(row, &mut decoder, &mut strings, scope.bytes_max)?;
    }
    Ok(strings)
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let stored = StoredValues::take(scope, reader, rows)?;
    let mut strings = Strings::with_capacity(positions.len());
    let mut decoder = ZstdDecoder::new();
    for position in positions {
        let row = usize::from(*position);
        stored.append(row, &mut decoder, &mut strings, scope.bytes_max)?;
    }
    Ok(strings)
}

/// How values were compressed.
#[derive(Clone, Copy)]
enum Way<'a> {
    Raw,
    Frame(Option<&'a ZstdDictionary>),
}

/// A vector as stored.
struct StoredValues<'a> {
    ways: Vec<Way<'a>>,
    /// The way of each value, where there are several.
    codes: Option<Vec<i64>>,
    lengths: Vec<i64>,
    /// What is stored of each value.
    pieces: Pieces<'a>,
}

impl<'a> StoredValues<'a> {
    fn take(
        scope: Scope<'a>,
        mut reader: ByteReader<'a>,
        rows: usize,
    ) -> Result<StoredValues<'a>, CodecError> {
        let count = usize::from(reader.u8()?);
        let mut ways = Vec::with_capacity(count);
        for _ in 0..count {
            ways.push(match reader.u8()? {
                WAY_RAW => Way::Raw,
                WAY_ALONE => Way::Frame(None),
                WAY_DICTIONARY => Way::Frame(Some(scope.shared.dictionary(reader.u8()?)?)),
                _ => return Err(WAYS),
            });
        }
        let nested = scope.nested()?;
        let mut integers = || {
            let bytes = reader.nested()?;
            integers::decode_plain(nested, IntegerKind::Int32, bytes, rows)
        };
        let codes = if count > 1 { Some(integers()?) } else { None };
        let lengths = integers()?;
        let stored = integers()?;
        let pieces = Pieces::cut(reader.rest(), &stored)?;
        Ok(StoredValues {
            ways,
            codes,
            lengths,
            pieces,
        })
    }

    /// Adds the value of a row.
    fn append(
        &self,
        row: usize,
        decoder: &mut ZstdDecoder,
        strings: &mut Strings,
        bytes_max: usize,
    ) -> Result<(), CodecError> {
        let length = self.lengths.get(row).ok_or(LENGTHS)?;
        let length = usize::try_from(*length).map_err(|_| LENGTHS)?;
        let stored = self.pieces.get(row)?;
        let start = strings.bytes.len();
        let bytes = start.saturating_add(length);
        if bytes > bytes_max {
            return Err(CodecError::TooLarge { bytes, bytes_max });
        }
        match self.way(row)? {
            Way::Frame(dictionary) if stored.len() != length => {
                strings.bytes.resize(bytes, 0);
                let raw = strings.bytes.get_mut(start..).unwrap_or_default();
                decoder.decode(stored, ZstdFraming::Compact, dictionary, raw)?;
            }
            _ if stored.len() == length => strings.bytes.extend_from_slice(stored),
            _ => return Err(LENGTHS),
        }
        strings.end_string(bytes_max)
    }

    fn way(&self, row: usize) -> Result<Way<'a>, CodecError> {
        let code = match &self.codes {
            None => 0,
            Some(codes) => codes
                .get(row)
                .and_then(|code| usize::try_from(*code).ok())
                .ok_or(WAYS)?,
        };
        self.ways.get(code).copied().ok_or(WAYS)
    }
}
