//! Run ends: one string and one end for each stretch of equal rows.
//!
//! Pays on sorted or slowly changing text; a filter tests each run once. Worst case: ten bits more
//! than plain for every row when neighbours differ, which the exact estimate avoids.
//! Format: Arrow's run-end encoding.
//! Layout: number of runs (varint), ends less one packed in the width of the last row, the strings
//! as a nested leaf.

use crate::bits::{index_width, packed_bytes};
use crate::integers::{Runs, put_runs, run_lasts};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::{Strings, StringsRef};
use crate::strings::{decode_plain, gather_plain, leaf};
use crate::writer::varint_bytes;
use crate::{CodecError, Decoded};

/// The last row of each run.
pub(super) fn lasts(strings: StringsRef<'_>) -> Vec<usize> {
    run_lasts(strings.len(), |a, b| strings.get(a) == strings.get(b))
}

/// Bytes after the tag.
pub(super) fn estimate(strings: StringsRef<'_>, lasts: &[usize]) -> usize {
    let values = lasts.iter().map(|row| strings.get(*row));
    varint_bytes(lasts.len() as u64)
        + packed_bytes(lasts.len(), index_width(strings.len()))
        + leaf::estimate(values, lasts.len() == 1)
}

pub(super) fn encode(strings: StringsRef<'_>, lasts: &[usize], out: &mut Vec<u8>) {
    put_runs(strings.len(), lasts, out);
    leaf::encode(
        lasts.iter().map(|row| strings.get(*row)),
        lasts.len() == 1,
        out,
    );
}

pub(super) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Strings>, CodecError> {
    let runs = Runs::take(reader, rows)?;
    let values = decode_plain(scope.nested()?, runs.values, runs.ends.len())?;
    let ends = runs.ends;
    Ok(Decoded::RunEnds { ends, values })
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let runs = Runs::take(reader, rows)?;
    let count = runs.ends.len();
    gather_plain(scope.nested()?, runs.values, count, &runs.at(positions))
}
