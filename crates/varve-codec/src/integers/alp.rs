//! ALP: doubles that are decimal numbers as integers, and the rest as exceptions.
//!
//! Pays on prices and measurements: the integers then take a frame, steps, a dictionary. A double
//! comes back as its integer times a power of ten, times the inverse of a power of ten; what does
//! not come back to the bit is an exception. Worst case: full-precision doubles are all exceptions,
//! so the smallest form wins over it. Paper: Afroozeh, Kuffo, Boncz, "ALP: Adaptive Lossless
//! floating-Point Compression" (2023). An exception takes the integer of the row before it, which
//! widens no frame. Layout: exponent and factor (u8: exponent * (exponent + 1) / 2 + factor),
//! exceptions as in [`super::leaves::exceptions`]; if there are any, the bytes (varint) of their
//! integers, those as a leaf of 64-bit integers; then the integers as nested integers of 64 bits.

use std::sync::Arc;

use crate::float::f64_from_integer;
use crate::integers::leaves::alp_pair::{self, Pair, Scaler};
use crate::integers::leaves::exceptions::{patch, patch_gathered, put_rows, rows_bytes, take_rows};
use crate::integers::{
    Candidates, IntegerCodec, IntegerKind, IntegerPlan, decode_plain, gather_plain, leaf,
};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::TAG_ALP;
use crate::writer::{put_varint, varint_bytes};
use crate::{CodecError, SharedWriter};

/// The best pairs of a block, and how the integers are written.
#[derive(Debug)]
struct AlpPlan {
    pairs: Vec<Pair>,
    nested: IntegerPlan,
}

impl IntegerCodec for AlpPlan {
    fn tag(&self) -> u8 {
        TAG_ALP
    }

    fn put(&self, _: IntegerKind, values: &[i64], out: &mut Vec<u8>) -> Option<()> {
        let parts = Parts::of(&self.pairs, values)?;
        parts.put_header(out);
        self.nested
            .encode(IntegerKind::Int64, &parts.scaled_integers, out);
        Some(())
    }

    fn decode_cost(&self) -> u64 {
        self.nested.decode_cost()
    }

    fn for_doubles(&self) -> bool {
        true
    }
}

/// Doubles by the best of `pairs`, the integers as `nested` has them.
pub(super) fn plan(pairs: Vec<Pair>, nested: IntegerPlan) -> IntegerPlan {
    IntegerPlan::Codec(Arc::new(AlpPlan { pairs, nested }))
}

/// ALP with the pairs of a block of doubles.
pub(super) fn candidate(candidates: Candidates<'_>) -> Option<(IntegerPlan, SharedWriter)> {
    if candidates.kind != IntegerKind::Float64 || candidates.depth == 0 {
        return None;
    }
    let vectors: Vec<&[i64]> = candidates.sample.iter().map(Vec::as_slice).collect();
    let pairs = alp_pair::choose_for_block(candidates.block.unwrap_or(&vectors));
    let parts = vectors.iter().map(|vector| Parts::of(&pairs, vector));
    let scaled_integers: Option<Vec<Vec<i64>>> = parts
        .map(|parts| parts.map(|parts| parts.scaled_integers))
        .collect();
    let chosen = candidates.nested(&scaled_integers?);
    Some((plan(pairs, chosen.plan), chosen.shared))
}

/// A vector of doubles taken apart.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) pair: Pair,
    pub(super) exceptions: Vec<u16>,
    /// The integers of the exceptions as a leaf.
    integers: Vec<u8>,
    pub(super) scaled_integers: Vec<i64>,
}

impl Parts {
    /// Takes integers apart by the best of the pairs of a block, or of all where none of them
    /// suits.
    pub(super) fn of(pairs: &[Pair], integers: &[i64]) -> Option<Parts> {
        let parts = alp_pair::choose_from(pairs, integers).map(|pair| Parts::by(pair, integers));
        match parts {
            Some(parts) if parts.exceptions.len() * 8 <= integers.len() => Some(parts),
            _ => Some(Parts::by(alp_pair::choose_from_all(integers)?, integers)),
        }
    }

    /// Takes integers apart by a pair.
    fn by(pair: Pair, integers: &[i64]) -> Parts {
        let scaler = pair.scaler();
        let scaled_integers = integers
            .iter()
            .map(|integer| scaler.scaled_integer(f64_from_integer(*integer)));
        let mut scaled_integers: Vec<i64> = scaled_integers.collect();
        let mut exceptions = Vec::new();
        let mut exception_integers = Vec::new();
        for (row, (integer, scaled_integer)) in (0_u16..).zip(integers.iter().zip(&scaled_integers))
        {
            if scaler.integer(*scaled_integer) != *integer {
                exceptions.push(row);
                exception_integers.push(*integer);
            }
        }
        let mut parts = Parts {
            pair,
            exceptions,
            integers: Vec::new(),
            scaled_integers: Vec::new(),
        };
        if !parts.exceptions.is_empty() {
            fill_exceptions(&mut scaled_integers, &parts.exceptions);
            leaf::encode(IntegerKind::Int64, &exception_integers, &mut parts.integers);
        }
        parts.scaled_integers = scaled_integers;
        parts
    }

    /// Bytes after the tag and before the integers.
    pub(super) fn header_bytes(&self) -> usize {
        let integers = match self.integers.len() {
            0 => 0,
            bytes => varint_bytes(bytes as u64) + bytes,
        };
        1 + rows_bytes(self.exceptions.len(), self.scaled_integers.len()) + integers
    }

    /// Writes all but the integers.
    pub(super) fn put_header(&self, out: &mut Vec<u8>) {
        out.push(self.pair.code());
        put_rows(&self.exceptions, self.scaled_integers.len(), out);
        if !self.exceptions.is_empty() {
            put_varint(self.integers.len() as u64, out);
            out.extend_from_slice(&self.integers);
        }
    }
}

/// Gives each exception the integer of the row before it; those at the front take the first that
/// is none.
fn fill_exceptions(scaled_integers: &mut [i64], exceptions: &[u16]) {
    let front = exceptions.iter().zip(0_u16..);
    let front = front
        .take_while(|(exception, row)| *exception == row)
        .count();
    let mut last = scaled_integers.get(front).copied().unwrap_or(0);
    let mut rest = exceptions.iter().peekable();
    for (row, scaled_integer) in (0_u16..).zip(scaled_integers) {
        if rest.next_if(|exception| **exception == row).is_some() {
            *scaled_integer = last;
        }
        last = *scaled_integer;
    }
}

/// The parts as stored.
pub(crate) struct Stored<'a> {
    pub(crate) scaler: Scaler,
    /// Rows that the integers do not hold, ascending, and their integers.
    exceptions: Vec<u16>,
    integers: Vec<i64>,
    /// Nested integers of 64 bits.
    pub(crate) scaled_integers: &'a [u8],
}

impl<'a> Stored<'a> {
    /// Reads what follows the tag.
    pub(crate) fn take(
        scope: Scope<'_>,
        mut reader: ByteReader<'a>,
        rows: usize,
    ) -> Result<Stored<'a>, CodecError> {
        let scaler = Pair::from_code(reader.u8()?)?.scaler();
        let exceptions = take_rows(&mut reader, rows)?;
        let mut integers = Vec::new();
        if !exceptions.is_empty() {
            let nested = reader.nested()?;
            integers = decode_plain(
                scope.nested()?,
                IntegerKind::Int64,
                nested,
                exceptions.len(),
            )?;
        }
        Ok(Stored {
            scaler,
            exceptions,
            integers,
            scaled_integers: reader.rest(),
        })
    }

    /// The rows that have integers of their own, ascending.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (u16, i64)> + '_ {
        let integers = self.integers.iter().copied();
        self.exceptions.iter().copied().zip(integers)
    }
}

pub(super) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(scope, reader, rows)?;
    let mut integers = decode_plain(
        scope.nested()?,
        IntegerKind::Int64,
        stored.scaled_integers,
        rows,
    )?;
    stored.scaler.integers(&mut integers);
    patch(&mut integers, &stored.exceptions, &stored.integers);
    Ok(integers)
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(scope, reader, rows)?;
    let (kind, scaled_integers) = (IntegerKind::Int64, stored.scaled_integers);
    let mut integers = gather_plain(scope.nested()?, kind, scaled_integers, rows, positions)?;
    for integer in &mut integers {
        *integer = stored.scaler.integer(*integer);
    }
    patch_gathered(
        &mut integers,
        positions,
        &stored.exceptions,
        &stored.integers,
    );
    Ok(integers)
}

#[cfg(test)]
mod tests;
