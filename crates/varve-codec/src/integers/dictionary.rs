//! Dictionary: the distinct values, ascending, and for each row the index of its value.
//!
//! Pays on few values of a wide range; filters and grouping work on the codes. Worst case: with
//! nearly all values distinct it is longer than the values, so the chooser stops counting at half
//! the rows.
//! Format: as in Abadi, Madden, Ferreira, "Integrating Compression and Execution in Column-Oriented
//! Database Systems" (2006).
//! Layout: number of values (varint), codes packed in the width of the last code, the values as a
//! nested leaf.

use crate::bits::{get, index_width, pack, packed_bytes};
use crate::distinct::{Distinct, mix};
use crate::integers::{IntegerKind, decode_plain, gather_plain, leaf};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::writer::{put_varint, varint_bytes};
use crate::{CodecError, Decoded};

/// The distinct values, unless there are more than half as many as rows.
pub(super) fn distinct(values: &[i64]) -> Option<Distinct> {
    let integer = |row: usize| values.get(row).copied().unwrap_or(0);
    let hash = |row| mix(0, integer(row).cast_unsigned());
    let equal = |a, b| integer(a) == integer(b);
    Distinct::find(values.len(), values.len() / 2, hash, equal)
}

/// Bytes after the tag, given about how many the values take.
pub(super) fn estimate(rows: usize, distinct: usize, values_bytes: usize) -> usize {
    varint_bytes(distinct as u64) + packed_bytes(rows, index_width(distinct)) + values_bytes
}

pub(super) fn encode(kind: IntegerKind, values: &[i64], distinct: &Distinct, out: &mut Vec<u8>) {
    let integer = |row: usize| values.get(row).copied().unwrap_or(0);
    let (order, ranks) = distinct.sorted(|a, b| integer(a).cmp(&integer(b)));
    put_codes(distinct, &ranks, out);
    let sorted: Vec<i64> = order.into_iter().map(integer).collect();
    leaf::encode(kind, &sorted, out);
}

pub(super) fn decode(
    scope: Scope<'_>,
    kind: IntegerKind,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    let codes = Codes::take(reader, rows)?;
    let values = decode_plain(scope.nested()?, kind, codes.values, codes.distinct)?;
    if !values.is_sorted_by(|a, b| a < b) {
        return Err(CodecError::Malformed("dictionary order"));
    }
    let codes = codes.all(rows)?;
    Ok(Decoded::Dictionary { codes, values })
}

pub(super) fn gather(
    scope: Scope<'_>,
    kind: IntegerKind,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let codes = Codes::take(reader, rows)?;
    let positions = codes.at(positions)?;
    gather_plain(
        scope.nested()?,
        kind,
        codes.values,
        codes.distinct,
        &positions,
    )
}

/// Writes the number of values and the code of each row.
pub(crate) fn put_codes(distinct: &Distinct, ranks: &[u64], out: &mut Vec<u8>) {
    put_varint(ranks.len() as u64, out);
    let codes = distinct.ids.iter().map(|id| ranks.get(usize::from(*id)));
    pack(
        codes.map(|code| code.copied().unwrap_or(0)),
        index_width(ranks.len()),
        out,
    );
}

/// What [`put_codes`] wrote, and the bytes of the values behind it.
pub(crate) struct Codes<'a> {
    pub(crate) distinct: usize,
    pub(crate) width: u32,
    pub(crate) packed: &'a [u8],
    pub(crate) values: &'a [u8],
}

impl<'a> Codes<'a> {
    pub(crate) fn take(mut reader: ByteReader<'a>, rows: usize) -> Result<Codes<'a>, CodecError> {
        let distinct = reader.count(1, rows, "dictionary size")?;
        let width = index_width(distinct);
        let packed = reader.take(packed_bytes(rows, width))?;
        Ok(Codes {
            distinct,
            width,
            packed,
            values: reader.rest(),
        })
    }

    /// The code of every row.
    pub(crate) fn all(&self, rows: usize) -> Result<Vec<u32>, CodecError> {
        let end = u32::try_from(self.distinct).unwrap_or(u32::MAX);
        let codes = varve_kernels::unpack_codes(self.packed, self.width, rows);
        if codes.iter().all(|code| *code < end) {
            Ok(codes)
        } else {
            Err(CodecError::Malformed("dictionary code"))
        }
    }

    /// The codes of the rows at `positions`.
    pub(crate) fn at(&self, positions: &[u16]) -> Result<Vec<u16>, CodecError> {
        let code = |position: &u16| get(self.packed, self.width, usize::from(*position));
        let checked = |code: u64| {
            let code = u16::try_from(code).ok();
            code.filter(|code| usize::from(*code) < self.distinct)
        };
        let codes: Option<Vec<u16>> = positions.iter().map(|at| checked(code(at))).collect();
        codes.ok_or(CodecError::Malformed("dictionary code"))
    }
}
