//! Filters of integer vectors.

use super::IntegerPredicate;
use super::packed::filter_packed;
use super::rising::scaled_integers_passing;
use super::selection::{check_rows, expand_runs, plain, set_bit, test_all};
use crate::float::f64_from_integer;
use crate::integers::leaves::{constant, frame, patched};
use crate::integers::{Codes, IntegerKind, Runs, alp, decimal, decode, decode_plain};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::{
    TAG_ALP, TAG_CONSTANT, TAG_DECIMAL, TAG_DICTIONARY, TAG_FRAME, TAG_PATCHED, TAG_RUN_ENDS,
    TAG_SHARED_DICTIONARY,
};
use crate::{CodecError, Decoded, DecodedBits, Shared};

/// The rows of a vector of integers that pass, without decoding it where its codec allows that.
/// NULLs are the caller's: their rows hold integers too.
pub fn filter_integers(
    kind: IntegerKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    predicate: &IntegerPredicate,
) -> Result<DecodedBits, CodecError> {
    filter(Scope::new(shared, 0), kind, bytes, rows, predicate)
}

/// Whether [`filter_integers`] does less than decoding these integers would; where not, a caller
/// that needs the integers anyway does better to decode them and to test the result.
pub fn filters_integers_encoded(bytes: &[u8]) -> bool {
    const ENCODED: [u8; 8] = [
        TAG_CONSTANT,
        TAG_DICTIONARY,
        TAG_RUN_ENDS,
        TAG_FRAME,
        TAG_PATCHED,
        TAG_DECIMAL,
        TAG_ALP,
        TAG_SHARED_DICTIONARY,
    ];
    bytes.first().is_some_and(|tag| ENCODED.contains(tag))
}

/// As [`filter_integers`], nested or not.
pub(super) fn filter(
    scope: Scope<'_>,
    kind: IntegerKind,
    bytes: &[u8],
    rows: usize,
    predicate: &IntegerPredicate,
) -> Result<DecodedBits, CodecError> {
    check_rows(rows)?;
    let mut reader = ByteReader::new(bytes);
    match reader.u8()? {
        TAG_CONSTANT => {
            let integer = constant::decode(reader)?;
            Ok(DecodedBits::Constant(predicate.contains(integer)))
        }
        TAG_RUN_ENDS => {
            let runs = Runs::take(reader, rows)?;
            let count = runs.ends.len();
            let bits = filter(scope.nested()?, kind, runs.values, count, predicate)?;
            Ok(expand_runs(bits, &runs.ends, rows))
        }
        TAG_DICTIONARY => {
            let codes = Codes::take(reader, rows)?;
            let values = decode_plain(scope.nested()?, kind, codes.values, codes.distinct)?;
            let passing = codes_passing(&values, predicate);
            Ok(filter_packed(codes.packed, codes.width, rows, 0, &passing))
        }
        TAG_SHARED_DICTIONARY => {
            let values = scope.shared.integers(reader.u8()?)?;
            let passing = codes_passing(values, predicate);
            filter(
                scope.nested()?,
                IntegerKind::Int32,
                reader.rest(),
                rows,
                &passing,
            )
        }
        TAG_FRAME => {
            let (base, width, packed) = frame::take(reader, rows)?;
            Ok(filter_packed(packed, width, rows, base, predicate))
        }
        TAG_PATCHED => {
            let stored = patched::Stored::take(reader, rows)?;
            let bits = filter_packed(stored.packed, stored.width, rows, stored.base, predicate);
            Ok(with_exceptions(bits, rows, stored.exceptions(), predicate))
        }
        TAG_DECIMAL if kind == IntegerKind::Float64 => {
            filter_decimal(scope, reader, rows, predicate)
        }
        TAG_ALP if kind == IntegerKind::Float64 => filter_alp(scope, reader, rows, predicate),
        _ => filter_decoded(scope, kind, bytes, rows, predicate),
    }
}

/// Filters the scaled integers of doubles.
fn filter_decimal(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    predicate: &IntegerPredicate,
) -> Result<DecodedBits, CodecError> {
    let stored = decimal::Stored::take(reader, rows)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a guess may be off by any amount"
    )]
    let guess = |integer| (f64_from_integer(integer) * stored.power) as i64;
    let integer_of = |scaled_integer| decimal::unscaled(scaled_integer, stored.power);
    let passing = scaled_integers_passing(predicate, integer_of, guess);
    let scaled_integers = stored.scaled_integers;
    let kind = IntegerKind::Int64;
    let bits = filter(scope.nested()?, kind, scaled_integers, rows, &passing)?;
    Ok(with_exceptions(bits, rows, stored.exceptions(), predicate))
}

/// Filters the scaled integers of ALP.
fn filter_alp(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    predicate: &IntegerPredicate,
) -> Result<DecodedBits, CodecError> {
    let stored = alp::Stored::take(scope, reader, rows)?;
    let guess = |integer| stored.scaler.scaled_integer(f64_from_integer(integer));
    let integer_of = |scaled_integer| stored.scaler.rising_integer(scaled_integer);
    let passing = scaled_integers_passing(predicate, integer_of, guess);
    let scaled_integers = stored.scaled_integers;
    let kind = IntegerKind::Int64;
    let bits = filter(scope.nested()?, kind, scaled_integers, rows, &passing)?;
    Ok(with_exceptions(bits, rows, stored.exceptions(), predicate))
}

fn filter_decoded(
    scope: Scope<'_>,
    kind: IntegerKind,
    bytes: &[u8],
    rows: usize,
    predicate: &IntegerPredicate,
) -> Result<DecodedBits, CodecError> {
    let integers = match decode(scope, kind, bytes, rows)? {
        Decoded::Plain(integers) => integers,
        _ => decode_plain(scope, kind, bytes, rows)?,
    };
    Ok(match predicate.ranges() {
        [] => DecodedBits::Constant(false),
        [(min, max)] => {
            let span = max.wrapping_sub(*min).cast_unsigned();
            test_all(&integers, |integer| {
                integer.wrapping_sub(*min).cast_unsigned() <= span
            })
        }
        _ => test_all(&integers, |integer| predicate.contains(integer)),
    })
}

/// The codes whose values pass; the values ascend.
pub(super) fn codes_passing(values: &[i64], predicate: &IntegerPredicate) -> IntegerPredicate {
    let ranges = predicate.ranges().iter().map(|(min, max)| {
        let first = values.partition_point(|value| value < min);
        let end = values.partition_point(|value| value <= max);
        code_range(first, end)
    });
    IntegerPredicate::of_ranges(ranges.collect())
}

/// The codes from `first` to `end` as a range of integers.
pub(super) fn code_range(first: usize, end: usize) -> (i64, i64) {
    let integer = |code: usize| i64::try_from(code).unwrap_or(i64::MAX);
    (integer(first), integer(end) - 1)
}

/// Bits with those of exceptions put right.
fn with_exceptions(
    bits: DecodedBits,
    rows: usize,
    exceptions: impl Iterator<Item = (u16, i64)>,
    predicate: &IntegerPredicate,
) -> DecodedBits {
    let mut exceptions = exceptions.peekable();
    if exceptions.peek().is_none() {
        return bits;
    }
    let mut bits = plain(bits, rows);
    for (row, integer) in exceptions {
        set_bit(&mut bits, usize::from(row), predicate.contains(integer));
    }
    DecodedBits::Plain(bits)
}
