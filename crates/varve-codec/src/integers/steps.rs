//! Steps: the first value, and each further one as its distance from the one before, as nested
//! integers.
//!
//! Pays where the distances themselves take another codec than a plain frame: a few outliers
//! (patched frame), runs of one step, a skewed distribution, or steps that rise evenly (steps of
//! steps). Worst case: a read of one row adds up all before it.
//! Paper: as [`super::leaves::delta`].
//! Layout: first value (zigzag varint), the distances of all rows but the first, wrapping, as
//! nested integers of 64 bits.

use crate::CodecError;
use crate::integers::leaves::delta::steps;
use crate::integers::{IntegerKind, IntegerPlan, decode_plain};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::writer::put_zigzag;

pub(super) fn encode(values: &[i64], nested: &IntegerPlan, out: &mut Vec<u8>) {
    put_zigzag(values.first().copied().unwrap_or(0), out);
    nested.encode(IntegerKind::Int64, &steps(values), out);
}

pub(super) fn decode(
    scope: Scope<'_>,
    mut reader: ByteReader<'_>,
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    let count = rows
        .checked_sub(1)
        .ok_or(CodecError::Malformed("row count"))?;
    let first = reader.zigzag()?;
    let mut values = decode_plain(scope.nested()?, IntegerKind::Int64, reader.rest(), count)?;
    values.push(0);
    varve_kernels::prefix_sums(&mut values, first);
    Ok(values)
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    crate::positions::pick(&decode(scope, reader, rows)?, positions)
}
