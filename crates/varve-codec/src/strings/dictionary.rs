//! Dictionary: the distinct strings, ascending by bytes, and for each row the index of its string.
//!
//! Pays on names, states and other text that repeats; filters and grouping work on the codes. Worst
//! case: ten bits a row over plain when all strings differ, which the exact estimate avoids.
//! Format: as for integers.
//! Layout: number of strings (varint), codes packed in the width of the last code, the strings as a
//! nested leaf.

use crate::bits::{index_width, packed_bytes};
use crate::distinct::{Distinct, hash_bytes};
use crate::integers::{Codes, put_codes};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::{Strings, StringsRef};
use crate::strings::{decode_plain, gather_plain, leaf};
use crate::writer::varint_bytes;
use crate::{CodecError, Decoded};

pub(super) fn distinct(strings: StringsRef<'_>) -> Option<Distinct> {
    let rows = strings.len();
    let hash = |row| hash_bytes(strings.get(row));
    Distinct::find(rows, rows, hash, |a, b| strings.get(a) == strings.get(b))
}

/// Bytes after the tag.
pub(super) fn estimate(strings: StringsRef<'_>, distinct: &Distinct) -> usize {
    let count = distinct.firsts.len();
    let values = distinct.firsts.iter().map(|row| strings.get(*row));
    varint_bytes(count as u64)
        + packed_bytes(strings.len(), index_width(count))
        + leaf::estimate(values, count == 1)
}

pub(super) fn encode(strings: StringsRef<'_>, distinct: &Distinct, out: &mut Vec<u8>) {
    let (order, ranks) = distinct.sorted(|a, b| strings.get(a).cmp(strings.get(b)));
    put_codes(distinct, &ranks, out);
    leaf::encode(
        order.iter().map(|row| strings.get(*row)),
        order.len() == 1,
        out,
    );
}

pub(super) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Strings>, CodecError> {
    let codes = Codes::take(reader, rows)?;
    let values = decode_plain(scope.nested()?, codes.values, codes.distinct)?;
    let stored = values.as_ref();
    if !(0..codes.distinct).is_sorted_by(|a, b| stored.get(*a) < stored.get(*b)) {
        return Err(CodecError::Malformed("dictionary order"));
    }
    let codes = codes.all(rows)?;
    Ok(Decoded::Dictionary { codes, values })
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let codes = Codes::take(reader, rows)?;
    let positions = codes.at(positions)?;
    gather_plain(scope.nested()?, codes.values, codes.distinct, &positions)
}
