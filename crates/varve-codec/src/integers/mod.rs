//! Vectors of integers: integers of 32 or 64 bits, and doubles as integers in the order of their
//! values.
//!
//! Every codec works on `i64`, so there is one instance of each; the kind only says how wide a
//! plain value is. An [`IntegerPlan`] is the cascade that a block's vectors are written in;
//! [`choose_integers`] finds the best one.

pub(crate) mod alp;
mod basic;
mod binning;
pub(crate) mod bins;
mod choose;
pub(crate) mod decimal;
mod dictionary;
#[cfg(test)]
pub(crate) mod encodings;
mod leaf;
pub(crate) mod leaves;
mod plan;
mod run_ends;
pub(crate) mod same;
pub(crate) mod shared_dictionary;
pub(crate) mod steps;
#[cfg(test)]
mod tests;

use crate::positions::check_positions;
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::{TAG_BINS, TAG_DICTIONARY, TAG_RUN_ENDS, TAG_SHARED_DICTIONARY, TAG_STEPS};
use crate::{CodecError, Decoded, ROWS_MAX, Shared, SharedWriter};

pub(crate) use choose::{
    Candidates, ChosenIntegers, Scale, choose_integers, choose_named_integers, integers_of_form,
};
pub(crate) use dictionary::{Codes, put_codes};
pub use leaves::kind::IntegerKind;
pub use plan::encode_integers;
pub(crate) use plan::{IntegerCodec, IntegerPlan, SharedIntegers};
pub(crate) use run_ends::{Runs, put_runs, run_lasts};
pub use same::{
    decode_same_integers, encode_same_integers, equal_integers_per_mille, gather_same_integers,
};

/// A plan of a codec for a block, and the shared part with what it needs there; `None` where the
/// codec does not suit the block.
type Candidate = fn(Candidates<'_>) -> Option<(IntegerPlan, SharedWriter)>;

/// The codecs that are chosen for a block, but for leaves and the shared dictionary, in the order
/// of the choice: of two that cost the same it takes the first.
const CODECS: [Candidate; 3] = [bins::candidate, alp::candidate, steps::candidate];

/// The `rows` integers in `bytes`. Integers of kind [`IntegerKind::Int32`] fit 32 bits.
pub fn decode_integers(
    kind: IntegerKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    decode(Scope::new(shared, 0), kind, bytes, rows)
}

/// As [`decode_integers`], one integer a row.
pub fn decode_plain_integers(
    kind: IntegerKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    decode_plain(Scope::new(shared, 0), kind, bytes, rows)
}

/// The integers at `positions`, in that order, without decoding the others where the codec allows
/// it.
pub fn gather_integers(
    kind: IntegerKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    gather_plain(Scope::new(shared, 0), kind, bytes, rows, positions)
}

/// The integer at `position`.
pub fn decode_integer(
    kind: IntegerKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    position: u16,
) -> Result<i64, CodecError> {
    let integers = gather_integers(kind, shared, bytes, rows, &[position])?;
    integers.first().copied().ok_or(CodecError::UnexpectedEnd)
}

/// The integers of a vector, nested or not, in the form that they are stored in.
pub(crate) fn decode(
    scope: Scope<'_>,
    kind: IntegerKind,
    bytes: &[u8],
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let mut reader = ByteReader::new(bytes);
    let decoded = match reader.u8()? {
        TAG_DICTIONARY => dictionary::decode(scope, kind, reader, rows)?,
        TAG_RUN_ENDS => run_ends::decode(scope, kind, reader, rows)?,
        TAG_SHARED_DICTIONARY => shared_dictionary::decode(scope, reader, rows)?,
        TAG_STEPS => Decoded::Plain(steps::decode(scope, reader, rows)?),
        TAG_BINS => Decoded::Plain(bins::decode(scope, reader, rows)?),
        tag => leaf::decode(scope, kind, tag, reader, rows)?,
    };
    match &decoded {
        Decoded::Plain(integers) | Decoded::Constant(integers) => check_range(kind, integers)?,
        Decoded::Dictionary { values, .. } | Decoded::RunEnds { values, .. } => {
            check_range(kind, values)?;
        }
        Decoded::Shared { resource, .. } => {
            // They ascend.
            let values = scope.shared.integers(*resource)?;
            for end in [values.first(), values.last()] {
                check_range(kind, end.map_or(&[], core::slice::from_ref))?;
            }
        }
    }
    Ok(decoded)
}

/// As [`decode`], one integer a row.
pub(crate) fn decode_plain(
    scope: Scope<'_>,
    kind: IntegerKind,
    bytes: &[u8],
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    Ok(match decode(scope, kind, bytes, rows)? {
        Decoded::Plain(values) => values,
        Decoded::Constant(value) => vec![value.first().copied().unwrap_or(0); rows],
        Decoded::Dictionary { codes, values } => varve_kernels::look_up(&values, &codes),
        Decoded::Shared { codes, resource } => {
            varve_kernels::look_up(scope.shared.integers(resource)?, &codes)
        }
        Decoded::RunEnds { ends, values } => {
            let mut integers = Vec::with_capacity(rows);
            for (end, value) in ends.iter().zip(values) {
                integers.resize(*end as usize, value);
            }
            integers
        }
    })
}

/// The integers at `positions` of a vector, nested or not.
pub(crate) fn gather_plain(
    scope: Scope<'_>,
    kind: IntegerKind,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    check_positions(rows, positions)?;
    let mut reader = ByteReader::new(bytes);
    let integers = match reader.u8()? {
        TAG_DICTIONARY => dictionary::gather(scope, kind, reader, rows, positions)?,
        TAG_RUN_ENDS => run_ends::gather(scope, kind, reader, rows, positions)?,
        TAG_SHARED_DICTIONARY => shared_dictionary::gather(scope, reader, rows, positions)?,
        TAG_STEPS => steps::gather(scope, reader, rows, positions)?,
        TAG_BINS => bins::gather(scope, reader, rows, positions)?,
        tag => leaf::gather(scope, kind, tag, reader, rows, positions)?,
    };
    check_range(kind, &integers)?;
    Ok(integers)
}

fn check_range(kind: IntegerKind, integers: &[i64]) -> Result<(), CodecError> {
    if kind == IntegerKind::Int32 && !varve_kernels::fit_32_bits(integers) {
        return Err(CodecError::Malformed("32-bit value"));
    }
    Ok(())
}
