//! Steps: the first value, and each further one as its distance from the one before, as nested
//! integers.
//!
//! Pays where the distances themselves take another codec than a plain frame: a few outliers
//! (patched frame), runs of one step, a skewed distribution, or steps that rise evenly (steps of
//! steps). Worst case: a read of one row adds up all before it.
//! Paper: as [`super::leaves::delta`].
//! Layout: first value (zigzag varint), the distances of all rows but the first, wrapping, as
//! nested integers of 64 bits.

use std::sync::Arc;

use crate::integers::leaves::delta::steps;
use crate::integers::{Candidates, IntegerCodec, IntegerKind, IntegerPlan, decode_plain};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::TAG_STEPS;
use crate::writer::put_zigzag;
use crate::{CodecError, SharedWriter};

/// How the distances are written.
#[derive(Debug)]
struct StepsPlan(IntegerPlan);

impl IntegerCodec for StepsPlan {
    fn tag(&self) -> u8 {
        TAG_STEPS
    }

    fn put(&self, _: IntegerKind, values: &[i64], out: &mut Vec<u8>) -> Option<()> {
        let [first, _, ..] = values else {
            return None;
        };
        put_zigzag(*first, out);
        self.0.encode(IntegerKind::Int64, &steps(values), out);
        Some(())
    }

    fn decode_cost(&self) -> u64 {
        1 + self.0.decode_cost()
    }
}

/// Steps whose distances are written as `nested` has them.
pub(super) fn plan(nested: IntegerPlan) -> IntegerPlan {
    IntegerPlan::Codec(Arc::new(StepsPlan(nested)))
}

/// The steps of a block that holds no doubles.
pub(super) fn candidate(candidates: Candidates<'_>) -> Option<(IntegerPlan, SharedWriter)> {
    if candidates.kind == IntegerKind::Float64 || candidates.depth == 0 {
        return None;
    }
    let vectors = candidates.sample.iter();
    let steps: Vec<Vec<i64>> = vectors.map(|vector| steps(vector)).collect();
    let chosen = candidates.nested(&steps);
    Some((plan(chosen.plan), chosen.shared))
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
