//! Vectors of byte strings, in Arrow's layout: offsets and one buffer.
//!
//! A [`StringPlan`] is the cascade that a block's vectors are written in;
//! [`choose_named_strings`] finds the best one, or the one that the user named.

mod basic;
mod choose;
mod constant;
mod dictionary;
#[cfg(test)]
pub(crate) mod encodings;
mod fsst;
pub(crate) mod json;
mod json_choose;
mod json_documents;
mod json_fields;
mod json_plan;
mod leaf;
mod packed;
mod pieces;
pub(crate) mod plain;
mod plan;
mod prefix;
mod run_ends;
pub(crate) mod same;
pub(crate) mod shared_dictionary;
pub(crate) mod split;
mod split_choose;
mod split_codec;
#[cfg(test)]
mod tests;
mod value_frames;

use crate::positions::check_positions;
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::{Strings, StringsRef};
use crate::tags::{
    TAG_DICTIONARY, TAG_FSST, TAG_JSON, TAG_PACKED, TAG_PREFIXES, TAG_RUN_ENDS,
    TAG_SHARED_DICTIONARY, TAG_SPLIT, TAG_VALUE_FRAMES,
};
use crate::{CodecError, Decoded, ROWS_MAX, Shared, SharedWriter};

pub(crate) use choose::{
    ChosenStrings, StringSample, choose_named_strings, choose_strings, strings_of_form,
};
pub(crate) use fsst::FsstStrings;
pub use plan::encode_strings;
pub(crate) use plan::{StringCodec, StringPlan};
pub use same::{
    decode_same_strings, encode_same_strings, equal_strings_per_mille, gather_same_strings,
};
pub(crate) use split::Template as SplitTemplate;
pub use value_frames::{BytesByWay, FramedBlock, ValueFrame, ValueFrameBytes, ValueFramer};

/// A plan of a codec for a block with at most so many levels over the basic codecs, and the shared
/// part with what it needs there; `None` where the codec does not suit the block.
type Candidate = fn(StringSample<'_>, u8, &SharedWriter) -> Option<(StringPlan, SharedWriter)>;

/// The codecs that are chosen for a block where a shared dictionary does not do, but for those of
/// symbols, in the order of the choice: of two that cost the same it takes the first.
const CODECS: [Candidate; 3] = [
    json_choose::candidate,
    prefix::candidate,
    split_choose::candidate,
];

/// The `rows` strings in `bytes`, of at most `bytes_max` bytes together.
pub fn decode_strings(
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    bytes_max: usize,
) -> Result<Decoded<Strings>, CodecError> {
    decode(Scope::new(shared, bytes_max), bytes, rows)
}

/// As [`decode_strings`], one string a row.
pub fn decode_plain_strings(
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    decode_plain(Scope::new(shared, bytes_max), bytes, rows)
}

/// The strings at `positions`, in that order. `bytes_max` is the most bytes that the whole vector
/// may decode to: some codecs put a string together from others.
pub fn gather_strings(
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    gather_plain(Scope::new(shared, bytes_max), bytes, rows, positions)
}

/// The strings of a vector, nested or not, in the form that they are stored in.
pub(crate) fn decode(
    scope: Scope<'_>,
    bytes: &[u8],
    rows: usize,
) -> Result<Decoded<Strings>, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let mut reader = ByteReader::new(bytes);
    match reader.u8()? {
        TAG_DICTIONARY => dictionary::decode(scope, reader, rows),
        TAG_RUN_ENDS => run_ends::decode(scope, reader, rows),
        TAG_FSST => fsst::decode(scope, reader, rows).map(Decoded::Plain),
        TAG_PACKED => packed::decode(scope, reader, rows).map(Decoded::Plain),
        TAG_SHARED_DICTIONARY => shared_dictionary::decode(scope, reader, rows),
        TAG_JSON => json_documents::decode(scope, reader, rows).map(Decoded::Plain),
        TAG_SPLIT => split_codec::decode(scope, reader, rows),
        TAG_PREFIXES => prefix::decode(scope, reader, rows).map(Decoded::Plain),
        TAG_VALUE_FRAMES => value_frames::decode(scope, reader, rows).map(Decoded::Plain),
        tag => leaf::decode(tag, reader, rows, scope.bytes_max),
    }
}

/// As [`decode`], one string a row.
pub(crate) fn decode_plain(
    scope: Scope<'_>,
    bytes: &[u8],
    rows: usize,
) -> Result<Strings, CodecError> {
    let (values, order): (_, Vec<u32>) = match decode(scope, bytes, rows)? {
        Decoded::Plain(strings) => return Ok(strings),
        Decoded::Constant(value) => (value, vec![0; rows]),
        Decoded::Dictionary { codes, values } => (values, codes),
        Decoded::Shared { codes, resource } => {
            return repeat(scope.shared.strings(resource)?.as_ref(), &codes, scope);
        }
        Decoded::RunEnds { ends, values } => {
            let mut order = Vec::with_capacity(rows);
            for (run, end) in (0..).zip(&ends) {
                order.resize(*end as usize, run);
            }
            (values, order)
        }
    };
    repeat(values.as_ref(), &order, scope)
}

/// The strings of `values` in an order that may repeat them.
fn repeat(values: StringsRef<'_>, order: &[u32], scope: Scope<'_>) -> Result<Strings, CodecError> {
    let bytes_max = scope.bytes_max;
    let repeated = varve_kernels::repeat_strings(values.offsets, values.bytes, order, bytes_max);
    let (offsets, bytes) = repeated.map_err(|bytes| CodecError::TooLarge { bytes, bytes_max })?;
    Ok(Strings { offsets, bytes })
}

/// The strings at `positions` of a vector, nested or not.
pub(crate) fn gather_plain(
    scope: Scope<'_>,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    check_positions(rows, positions)?;
    let mut reader = ByteReader::new(bytes);
    match reader.u8()? {
        TAG_DICTIONARY => dictionary::gather(scope, reader, rows, positions),
        TAG_RUN_ENDS => run_ends::gather(scope, reader, rows, positions),
        TAG_FSST => fsst::gather(scope, reader, rows, positions),
        TAG_PACKED => packed::gather(scope, reader, rows, positions),
        TAG_SHARED_DICTIONARY => shared_dictionary::gather(scope, reader, rows, positions),
        TAG_JSON => json_documents::gather(scope, reader, rows, positions),
        TAG_SPLIT => split_codec::gather(scope, reader, rows, positions),
        TAG_PREFIXES => prefix::gather(scope, reader, rows, positions),
        TAG_VALUE_FRAMES => value_frames::gather(scope, reader, rows, positions),
        tag => leaf::gather(tag, reader, rows, positions, scope.bytes_max),
    }
}
