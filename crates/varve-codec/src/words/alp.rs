//! ALP: doubles that are decimal numbers as integers, and the rest as exceptions.
//!
//! Pays on prices and measurements: the integers then take a frame, steps, a dictionary. A double
//! comes back as its integer times a power of ten, times the inverse of a power of ten; what does
//! not come back to the bit is an exception. Worst case: full-precision doubles are all exceptions,
//! so the smallest form wins over it.
//! Paper: Afroozeh, Kuffo, Boncz, "ALP: Adaptive Lossless floating-Point Compression" (2023). An
//! exception takes the integer of the row before it, which widens no frame.
//! Layout: exponent and factor (u8: exponent * (exponent + 1) / 2 + factor), exceptions as in
//! [`super::exceptions`]; if there are any, the bytes (varint) of their words, those as a leaf of
//! 64-bit integers; then the integers as nested words of 64 bits.

use super::alp_pair::{self, Pair, Scaler};
use super::exceptions::{patch, patch_gathered, put_rows, rows_bytes, take_rows};
use super::{WordKind, decode_plain, gather_plain, leaf};
use crate::CodecError;
use crate::float::f64_from_word;
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::writer::{put_varint, varint_bytes};

/// A vector of doubles taken apart.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) pair: Pair,
    pub(super) exceptions: Vec<u16>,
    /// The words of the exceptions as a leaf.
    words: Vec<u8>,
    pub(super) integers: Vec<i64>,
}

impl Parts {
    /// Takes words apart by the best of the pairs of a block, or of all where none of them suits.
    pub(super) fn of(pairs: &[Pair], words: &[i64]) -> Option<Parts> {
        let parts = alp_pair::choose_from(pairs, words).map(|pair| Parts::by(pair, words));
        match parts {
            Some(parts) if parts.exceptions.len() * 8 <= words.len() => Some(parts),
            _ => Some(Parts::by(alp_pair::choose_from_all(words)?, words)),
        }
    }

    /// Takes words apart by a pair.
    fn by(pair: Pair, words: &[i64]) -> Parts {
        let scaler = pair.scaler();
        let integers = words
            .iter()
            .map(|word| scaler.integer(f64_from_word(*word)));
        let mut integers: Vec<i64> = integers.collect();
        let mut exceptions = Vec::new();
        let mut exception_words = Vec::new();
        for (row, (word, integer)) in (0_u16..).zip(words.iter().zip(&integers)) {
            if scaler.word(*integer) != *word {
                exceptions.push(row);
                exception_words.push(*word);
            }
        }
        let mut parts = Parts {
            pair,
            exceptions,
            words: Vec::new(),
            integers: Vec::new(),
        };
        if !parts.exceptions.is_empty() {
            fill_exceptions(&mut integers, &parts.exceptions);
            leaf::encode(WordKind::Int64, &exception_words, &mut parts.words);
        }
        parts.integers = integers;
        parts
    }

    /// Bytes after the tag and before the integers.
    pub(super) fn header_bytes(&self) -> usize {
        let words = match self.words.len() {
            0 => 0,
            bytes => varint_bytes(bytes as u64) + bytes,
        };
        1 + rows_bytes(self.exceptions.len(), self.integers.len()) + words
    }

    /// Writes all but the integers.
    pub(super) fn put_header(&self, out: &mut Vec<u8>) {
        out.push(self.pair.code());
        put_rows(&self.exceptions, self.integers.len(), out);
        if !self.exceptions.is_empty() {
            put_varint(self.words.len() as u64, out);
            out.extend_from_slice(&self.words);
        }
    }
}

/// Gives each exception the integer of the row before it; those at the front take the first that
/// is none.
fn fill_exceptions(integers: &mut [i64], exceptions: &[u16]) {
    let front = exceptions.iter().zip(0_u16..);
    let front = front
        .take_while(|(exception, row)| *exception == row)
        .count();
    let mut last = integers.get(front).copied().unwrap_or(0);
    let mut rest = exceptions.iter().peekable();
    for (row, integer) in (0_u16..).zip(integers) {
        if rest.next_if(|exception| **exception == row).is_some() {
            *integer = last;
        }
        last = *integer;
    }
}

/// The parts as stored.
pub(crate) struct Stored<'a> {
    pub(crate) scaler: Scaler,
    /// Rows that the integers do not hold, ascending, and their words.
    exceptions: Vec<u16>,
    words: Vec<i64>,
    /// Nested words of 64 bits.
    pub(crate) integers: &'a [u8],
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
        let mut words = Vec::new();
        if !exceptions.is_empty() {
            let nested = reader.nested()?;
            words = decode_plain(scope.nested()?, WordKind::Int64, nested, exceptions.len())?;
        }
        Ok(Stored {
            scaler,
            exceptions,
            words,
            integers: reader.rest(),
        })
    }

    /// The rows that have words of their own, ascending.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (u16, i64)> + '_ {
        let words = self.words.iter().copied();
        self.exceptions.iter().copied().zip(words)
    }
}

pub(super) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(scope, reader, rows)?;
    let mut words = decode_plain(scope.nested()?, WordKind::Int64, stored.integers, rows)?;
    stored.scaler.words(&mut words);
    patch(&mut words, &stored.exceptions, &stored.words);
    Ok(words)
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(scope, reader, rows)?;
    let (kind, integers) = (WordKind::Int64, stored.integers);
    let mut words = gather_plain(scope.nested()?, kind, integers, rows, positions)?;
    for word in &mut words {
        *word = stored.scaler.word(*word);
    }
    patch_gathered(&mut words, positions, &stored.exceptions, &stored.words);
    Ok(words)
}

#[cfg(test)]
mod tests;
