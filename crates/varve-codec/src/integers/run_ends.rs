//! Run ends: one value and one end for each stretch of equal rows.
//!
//! Pays on sorted or slowly changing columns; a filter tests each run once, a row is found by
//! binary search. Worst case: ten bits more than the value for every row when neighbours differ.
//! Format: Arrow's run-end encoding.
//! Layout: number of runs (varint), ends less one packed in the width of the last row, the values
//! as a nested leaf.

use crate::bits::{index_width, pack, packed_bytes, unpack};
use crate::integers::{IntegerKind, decode_plain, gather_plain, leaf};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::writer::{put_varint, varint_bytes};
use crate::{CodecError, Decoded};

/// Bytes after the tag, given about how many the values take.
pub(super) fn estimate(rows: usize, runs: usize, values_bytes: usize) -> usize {
    varint_bytes(runs as u64) + packed_bytes(runs, index_width(rows)) + values_bytes
}

pub(super) fn encode(kind: IntegerKind, values: &[i64], out: &mut Vec<u8>) {
    let integer = |row: usize| values.get(row).copied().unwrap_or(0);
    let lasts = run_lasts(values.len(), |a, b| integer(a) == integer(b));
    put_runs(values.len(), &lasts, out);
    let values: Vec<i64> = lasts.into_iter().map(integer).collect();
    leaf::encode(kind, &values, out);
}

pub(super) fn decode(
    scope: Scope<'_>,
    kind: IntegerKind,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    let runs = Runs::take(reader, rows)?;
    let values = decode_plain(scope.nested()?, kind, runs.values, runs.ends.len())?;
    let ends = runs.ends;
    Ok(Decoded::RunEnds { ends, values })
}

pub(super) fn gather(
    scope: Scope<'_>,
    kind: IntegerKind,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let runs = Runs::take(reader, rows)?;
    let positions = runs.at(positions);
    gather_plain(
        scope.nested()?,
        kind,
        runs.values,
        runs.ends.len(),
        &positions,
    )
}

/// The last row of each run.
pub(crate) fn run_lasts(rows: usize, equal: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    (0..rows)
        .filter(|row| row + 1 == rows || !equal(*row, row + 1))
        .collect()
}

/// Writes the number of runs and where they end.
pub(crate) fn put_runs(rows: usize, lasts: &[usize], out: &mut Vec<u8>) {
    put_varint(lasts.len() as u64, out);
    pack(
        lasts.iter().map(|last| *last as u64),
        index_width(rows),
        out,
    );
}

/// What [`put_runs`] wrote, and the bytes of the values behind it.
pub(crate) struct Runs<'a> {
    pub(crate) ends: Vec<u32>,
    pub(crate) values: &'a [u8],
}

impl<'a> Runs<'a> {
    pub(crate) fn take(mut reader: ByteReader<'a>, rows: usize) -> Result<Runs<'a>, CodecError> {
        let count = reader.count(1, rows, "number of runs")?;
        let width = index_width(rows);
        let packed = reader.take(packed_bytes(count, width))?;
        let ends = unpack(packed, width, count, |last| {
            u32::try_from(last + 1).unwrap_or(u32::MAX)
        });
        let full = ends.last().is_some_and(|end| *end as usize == rows);
        if !full || !ends.is_sorted_by(|a, b| a < b) {
            return Err(CodecError::Malformed("run ends"));
        }
        Ok(Runs {
            ends,
            values: reader.rest(),
        })
    }

    /// The runs of the rows at `positions`.
    pub(crate) fn at(&self, positions: &[u16]) -> Vec<u16> {
        let run = |position: &u16| {
            self.ends
                .partition_point(|end| *end <= u32::from(*position))
        };
        let runs = positions.iter().map(run);
        runs.map(|run| u16::try_from(run).unwrap_or(u16::MAX))
            .collect()
    }
}
