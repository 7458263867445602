//! Leaves: the string codecs that hold their values themselves, and the choice among them.

use crate::reader::ByteReader;
use crate::string_data::Strings;
use crate::strings::constant;
use crate::strings::plain::{self, Lengths};
use crate::tags::{TAG_CONSTANT, TAG_PLAIN};
use crate::{CodecError, Decoded};

/// Bytes of the strings in the smallest leaf, tag included; `equal` says that they are one string.
pub(super) fn estimate<'a>(
    mut strings: impl Iterator<Item = &'a [u8]> + Clone,
    equal: bool,
) -> usize {
    let lengths = Lengths::of(strings.clone());
    match strings.next() {
        Some(string) if equal => 1 + constant::estimate(string),
        _ => 1 + lengths.estimate(),
    }
}

/// Appends the strings in the smallest leaf. Returns the tag written.
pub(super) fn encode<'a>(
    strings: impl Iterator<Item = &'a [u8]> + Clone,
    equal: bool,
    out: &mut Vec<u8>,
) -> u8 {
    match strings.clone().next() {
        Some(string) if equal => {
            out.push(TAG_CONSTANT);
            constant::encode(string, out);
            TAG_CONSTANT
        }
        _ => {
            out.push(TAG_PLAIN);
            plain::encode(strings, out);
            TAG_PLAIN
        }
    }
}

/// The strings behind a tag.
pub(super) fn decode(
    tag: u8,
    reader: ByteReader<'_>,
    rows: usize,
    bytes_max: usize,
) -> Result<Decoded<Strings>, CodecError> {
    match tag {
        TAG_PLAIN => plain::decode(reader, rows, bytes_max).map(Decoded::Plain),
        TAG_CONSTANT => constant::decode(reader, bytes_max).map(Decoded::Constant),
        tag => Err(CodecError::UnknownTag(tag)),
    }
}

/// The strings at `positions` behind a tag.
pub(super) fn gather(
    tag: u8,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    match tag {
        TAG_PLAIN => plain::gather(reader, rows, positions, bytes_max),
        TAG_CONSTANT => constant::gather(reader, positions.len(), bytes_max),
        tag => Err(CodecError::UnknownTag(tag)),
    }
}
