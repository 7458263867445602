//! FSST: strings as codes of a symbol table in the block's shared part.
//!
//! Pays on text that differs from row to row yet is made of common parts; one row is decoded
//! alone, and an equality is tested on the codes. See [`crate::fsst`] for the paper and the worst
//! case. A general stage often finds more in the codes than in the text.
//! Layout: resource (u8), bytes of the lengths (varint), the lengths of the strings in codes as
//! nested integers of 32 bits, then the codes, to the end.

use core::cmp::Ordering;

use crate::CodecError;
use crate::fsst::{Encoder, SymbolTable, compare, decode_into, decode_strings};
use crate::integers::{self, IntegerKind, IntegerPlan};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::{Strings, StringsRef};
use crate::strings::pieces::Pieces;
use crate::writer::{length_integer, put_nested};

/// FSST while it is written.
#[derive(Debug)]
pub(crate) struct FsstPlan {
    pub(crate) resource: u8,
    pub(crate) encoder: Encoder,
    /// How the lengths are written.
    pub(crate) lengths: IntegerPlan,
}

/// The codes of the strings one after another, and the length of each.
pub(super) fn codes_of(encoder: &Encoder, strings: StringsRef<'_>) -> (Vec<i64>, Vec<u8>) {
    let mut codes = Vec::new();
    let mut lengths = Vec::with_capacity(strings.len());
    let mut start = 0;
    let all = (0..strings.len()).map(|row| strings.get(row));
    encoder.encode_all(all, &mut codes, |end| {
        lengths.push(length_integer(end - start));
        start = end;
    });
    (lengths, codes)
}

/// Appends the strings; `None` when their codes are too long for the format.
pub(super) fn encode(plan: &FsstPlan, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<()> {
    let (lengths, codes) = codes_of(&plan.encoder, strings);
    i32::try_from(codes.len()).ok()?;
    out.push(plan.resource);
    put_nested(out, |out| {
        plan.lengths.encode(IntegerKind::Int32, &lengths, out);
    });
    out.extend_from_slice(&codes);
    Some(())
}

pub(super) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Strings, CodecError> {
    let stored = FsstStrings::take(scope, reader, rows)?;
    let Pieces { ends, bytes } = &stored.codes;
    decode_strings(stored.table, bytes, ends, scope.bytes_max)
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let stored = FsstStrings::take(scope, reader, rows)?;
    let mut strings = Strings::with_capacity(positions.len());
    for position in positions {
        let codes = stored.codes.get(usize::from(*position))?;
        let left = scope.bytes_max.saturating_sub(strings.bytes.len());
        decode_into(stored.table, codes, &mut strings.bytes, left)?;
        let end = u32::try_from(strings.bytes.len()).map_err(|_| LENGTHS)?;
        strings.offsets.push(end);
    }
    Ok(strings)
}

const LENGTHS: CodecError = CodecError::Malformed("string lengths");

/// A vector as stored.
pub(crate) struct FsstStrings<'a> {
    table: &'a SymbolTable,
    /// The codes of each string.
    codes: Pieces<'a>,
}

impl<'a> FsstStrings<'a> {
    pub(crate) fn take(
        scope: Scope<'a>,
        mut reader: ByteReader<'a>,
        rows: usize,
    ) -> Result<FsstStrings<'a>, CodecError> {
        let table = scope.shared.symbols(reader.u8()?)?;
        let lengths = reader.nested()?;
        let lengths = integers::decode_plain(scope.nested()?, IntegerKind::Int32, lengths, rows)?;
        let codes = Pieces::cut(reader.rest(), &lengths)?;
        Ok(FsstStrings { table, codes })
    }

    /// The order of the string at `row` and `bytes`.
    pub(crate) fn compare(&self, row: usize, bytes: &[u8]) -> Result<Ordering, CodecError> {
        compare(self.table, self.codes.get(row)?, bytes)
    }
}
