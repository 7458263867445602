//! Shared dictionary: the distinct values of a whole block, ascending, kept once in its shared
//! part, and for each row the index of its value.
//!
//! Pays where a block of 65,536 rows has few distinct values of a wide range: a dictionary by
//! vector would be stored 64 times. Codes order as the values do, and equal codes of one block are
//! equal values. Worst case: values that each occur once cost their code on top; the chooser counts
//! the dictionary's bytes.
//! Format: as [`super::dictionary`].
//! Layout of a vector: resource (u8), codes as nested integers of 32 bits. Layout of the resource:
//! kind (u8), number of values (varint), then by 1,024 values the bytes (varint) of their nested
//! integers, and those.

use crate::integers::{IntegerKind, IntegerPlan, decode_plain, gather_plain};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::shared::{INTEGERS, SHARED_VALUES_MAX};
use crate::writer::{put_nested, put_varint};
use crate::{CodecError, Decoded, ROWS_MAX, Shared, SharedWriter};

pub(crate) fn encode(resource: u8, codes: &[i64], nested: &IntegerPlan, out: &mut Vec<u8>) {
    out.push(resource);
    nested.encode(IntegerKind::Int32, codes, out);
}

pub(super) fn decode(
    scope: Scope<'_>,
    mut reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    let resource = reader.u8()?;
    let values = scope.shared.integers(resource)?;
    let codes = take_codes(scope, reader, rows, values.len())?;
    Ok(Decoded::Shared { codes, resource })
}

pub(super) fn gather(
    scope: Scope<'_>,
    mut reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let values = scope.shared.integers(reader.u8()?)?;
    let codes = gather_codes(scope, reader, rows, positions)?;
    let value = |code: &usize| values.get(*code).copied();
    let integers: Option<Vec<i64>> = codes.iter().map(value).collect();
    integers.ok_or(CODE)
}

const CODE: CodecError = CodecError::Malformed("dictionary code");

/// The nested codes of all rows, each below `values`.
pub(crate) fn take_codes(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    values: usize,
) -> Result<Vec<u32>, CodecError> {
    let codes = decode_plain(scope.nested()?, IntegerKind::Int32, reader.rest(), rows)?;
    // A negative code is one that is too large.
    let (codes, greatest) = varve_kernels::narrow(&codes);
    if greatest < values as u64 || codes.is_empty() {
        Ok(codes)
    } else {
        Err(CODE)
    }
}

/// The nested codes at `positions`; the caller checks them against the dictionary.
pub(crate) fn gather_codes(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<usize>, CodecError> {
    let nested = scope.nested()?;
    let codes = gather_plain(nested, IntegerKind::Int32, reader.rest(), rows, positions)?;
    let codes: Result<Vec<usize>, _> = codes.into_iter().map(usize::try_from).collect();
    codes.map_err(|_| CODE)
}

impl SharedWriter {
    /// Adds a dictionary of ascending integers; `None` when there are too many values or resources,
    /// as for all that is added.
    pub(crate) fn add_integers(&mut self, kind: IntegerKind, values: &[i64]) -> Option<u8> {
        self.count_values(values.len(), 0)?;
        let mut bytes = Vec::new();
        write(kind, values, &mut bytes);
        self.add(INTEGERS, bytes)
    }
}

/// Writes the resource.
fn write(kind: IntegerKind, values: &[i64], out: &mut Vec<u8>) {
    out.push(kind.code());
    put_varint(values.len() as u64, out);
    for chunk in values.chunks(ROWS_MAX) {
        put_nested(out, |out| {
            IntegerPlan::Basic.encode(kind, chunk, out);
        });
    }
}

/// Reads what [`write`] wrote; at most `values_max` values.
pub(crate) fn read(mut reader: ByteReader<'_>, values_max: usize) -> Result<Vec<i64>, CodecError> {
    let kind = IntegerKind::from_code(reader.u8()?)?;
    let count = reader.count(0, SHARED_VALUES_MAX.min(values_max), "dictionary size")?;
    let shared = Shared::default();
    let scope = Scope::new(&shared, 0);
    let mut values: Vec<i64> = Vec::new();
    while values.len() < count {
        let rows = (count - values.len()).min(ROWS_MAX);
        values.append(&mut decode_plain(scope, kind, reader.nested()?, rows)?);
    }
    reader.end()?;
    if !values.is_sorted_by(|a, b| a < b) {
        return Err(CodecError::Malformed("dictionary order"));
    }
    Ok(values)
}
