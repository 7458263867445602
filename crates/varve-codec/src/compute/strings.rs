//! Filters of string vectors.

use core::cell::Cell;
use core::cmp::Ordering;

use super::integers::{code_range, filter};
use super::packed::filter_packed;
use super::selection::{check_rows, expand_runs, test_rows};
use super::{IntegerPredicate, StringPredicate};
use crate::integers::{Codes, IntegerKind, Runs};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::strings::{FsstStrings, decode_plain, plain};
use crate::tags::{
    TAG_CONSTANT, TAG_DICTIONARY, TAG_FSST, TAG_PLAIN, TAG_RUN_ENDS, TAG_SHARED_DICTIONARY,
};
use crate::{CodecError, DecodedBits, Shared, StringsRef};

/// The rows of a vector of strings that pass, without decoding it where its codec allows that;
/// `bytes_max` is the most bytes that it may decode to.
pub fn filter_strings(
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    bytes_max: usize,
    predicate: &StringPredicate,
) -> Result<DecodedBits, CodecError> {
    filter_nested(Scope::new(shared, bytes_max), bytes, rows, predicate)
}

/// Whether [`filter_strings`] does less than decoding these strings would; where not, a caller that
/// needs the strings anyway does better to decode them and to test the result.
pub fn filters_strings_encoded(bytes: &[u8]) -> bool {
    const ENCODED: [u8; 6] = [
        TAG_PLAIN,
        TAG_CONSTANT,
        TAG_DICTIONARY,
        TAG_RUN_ENDS,
        TAG_SHARED_DICTIONARY,
        TAG_FSST,
    ];
    bytes.first().is_some_and(|tag| ENCODED.contains(tag))
}

fn filter_nested(
    scope: Scope<'_>,
    bytes: &[u8],
    rows: usize,
    predicate: &StringPredicate,
) -> Result<DecodedBits, CodecError> {
    check_rows(rows)?;
    let mut reader = ByteReader::new(bytes);
    match reader.u8()? {
        TAG_CONSTANT => Ok(DecodedBits::Constant(predicate.contains(reader.rest()))),
        TAG_RUN_ENDS => {
            let runs = Runs::take(reader, rows)?;
            let bits = filter_nested(scope.nested()?, runs.values, runs.ends.len(), predicate)?;
            Ok(expand_runs(bits, &runs.ends, rows))
        }
        TAG_DICTIONARY => {
            let codes = Codes::take(reader, rows)?;
            let values = decode_plain(scope.nested()?, codes.values, codes.distinct)?;
            let passing = codes_passing(values.as_ref(), predicate);
            Ok(filter_packed(codes.packed, codes.width, rows, 0, &passing))
        }
        TAG_SHARED_DICTIONARY => {
            let values = scope.shared.strings(reader.u8()?)?;
            let passing = codes_passing(values.as_ref(), predicate);
            filter(
                scope.nested()?,
                IntegerKind::Int32,
                reader.rest(),
                rows,
                &passing,
            )
        }
        TAG_PLAIN => {
            let (offsets, bytes) = plain::take(reader, rows, rows)?;
            let offsets = &offsets;
            Ok(filter_stored(StringsRef { offsets, bytes }, predicate))
        }
        TAG_FSST => {
            let stored = FsstStrings::take(scope, reader, rows)?;
            let sound = Cell::new(true);
            let compare = |row: usize, bound: &[u8]| {
                stored.compare(row, bound).unwrap_or_else(|_| {
                    sound.set(false);
                    Ordering::Less
                })
            };
            let bits = match predicate.only() {
                Some(only) => test_rows(rows, |row| compare(row, only).is_eq()),
                None => test_rows(rows, |row| {
                    predicate.contains_by(|bound| compare(row, bound))
                }),
            };
            if sound.get() {
                Ok(bits)
            } else {
                Err(CodecError::Malformed("FSST code"))
            }
        }
        _ => {
            let strings = decode_plain(scope, bytes, rows)?;
            Ok(filter_stored(strings.as_ref(), predicate))
        }
    }
}

/// The codes whose strings pass; the strings ascend.
fn codes_passing(values: StringsRef<'_>, predicate: &StringPredicate) -> IntegerPredicate {
    let before = |bound: &[u8]| {
        let (mut low, mut high) = (0, values.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if values.get(middle) < bound {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    };
    let ranges = predicate.ranges().iter().map(|range| {
        let first = before(&range.start);
        let end = range.end.as_deref().map_or(values.len(), before);
        code_range(first, end)
    });
    IntegerPredicate::of_ranges(ranges.collect())
}

fn filter_stored(strings: StringsRef<'_>, predicate: &StringPredicate) -> DecodedBits {
    let rows = strings.len();
    match predicate.only() {
        Some(only) => test_rows(rows, |row| strings.get(row) == only),
        None => test_rows(rows, |row| predicate.contains(strings.get(row))),
    }
}
