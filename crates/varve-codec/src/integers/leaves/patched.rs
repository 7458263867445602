//! Patched frame of reference: distances from a base in a width that most values fit; the others
//! are patched in.
//!
//! Pays where a few outliers, above or below, would widen all rows of a plain frame; under steps it
//! is patched delta. Worst case: an eighth of the rows patched, each by a write of its own.
//! Paper: Zukowski, Heman, Nes, Boncz, "Super-Scalar RAM-CPU Cache Compression" (2006), here with
//! the exceptions aside, as in NewPFD, and the window of values chosen from counts of them.
//! Layout: base (zigzag varint), width (u8), exceptions as in [`super::exceptions`], width of their
//! excesses (u8), those packed, packed distances (0 for exceptions). The excess of a value below
//! the base is its distance from it, of one past the window the distance from the window's end,
//! folded as in a zigzag.

use crate::CodecError;
use crate::bits::{checked_width, get, index_width, pack, packed_bytes, unpack, width_for};
use crate::integers::leaves::exceptions::{patch, patch_gathered, put_rows, rows_bytes, take_rows};
use crate::integers::leaves::stats::Stats;
use crate::reader::ByteReader;
use crate::writer::{fold, put_zigzag, unfold, zigzag_bytes};

/// Shorter vectors are not worth the search.
const ROWS_MIN: usize = 32;
/// One row in so many may be an exception.
const EXCEPTIONS_MAX: usize = 8;
/// The widest window; wider values are not packed but plain.
const WIDTH_MAX: u32 = 56;
/// Values are counted in so many buckets at a time.
const BUCKET_BITS: u32 = 8;

/// A window of values, and what lies outside it.
#[derive(Debug)]
pub(crate) struct Window {
    base: i64,
    width: u32,
    exceptions: Vec<u16>,
    excesses: Vec<u64>,
    excess_width: u32,
}

impl Window {
    /// The window that takes the fewest bytes, if there is one that leaves exceptions.
    pub(crate) fn of(values: &[i64], stats: &Stats) -> Option<Window> {
        if values.len() < ROWS_MIN {
            return None;
        }
        let (base, width) = search(values, stats)?;
        let mut exceptions = Vec::new();
        let mut excesses = Vec::new();
        let mut greatest = 0;
        for (row, value) in (0_u16..).zip(values) {
            let distance = value.wrapping_sub(base);
            if distance.cast_unsigned() >> width != 0 {
                let end = if distance < 0 { 0 } else { 1 << width };
                let excess = fold(distance - end);
                greatest = greatest.max(excess);
                exceptions.push(row);
                excesses.push(excess);
            }
        }
        Some(Window {
            base,
            width,
            exceptions,
            excesses,
            excess_width: width_for(greatest),
        })
    }

    /// Bytes after the tag.
    pub(crate) fn bytes(&self, rows: usize) -> usize {
        let header = zigzag_bytes(self.base) + 2;
        let exceptions = rows_bytes(self.exceptions.len(), rows);
        let excesses = packed_bytes(self.exceptions.len(), self.excess_width);
        header + exceptions + excesses + packed_bytes(rows, self.width)
    }

    pub(crate) fn encode(&self, values: &[i64], out: &mut Vec<u8>) {
        put_zigzag(self.base, out);
        out.push(self.width.to_le_bytes()[0]);
        put_rows(&self.exceptions, values.len(), out);
        out.push(self.excess_width.to_le_bytes()[0]);
        pack(self.excesses.iter().copied(), self.excess_width, out);
        let distances = values.iter().map(|value| {
            let distance = value.wrapping_sub(self.base).cast_unsigned();
            if distance >> self.width == 0 {
                distance
            } else {
                0
            }
        });
        pack(distances, self.width, out);
    }
}

/// The base and width that take the fewest bits, exceptions counted as if each were as wide as the
/// span. The values are counted in buckets; the best window of buckets is then searched in turn,
/// from the least to the greatest value in it, as long as that makes it narrower.
fn search(values: &[i64], stats: &Stats) -> Option<(i64, u32)> {
    let rows = values.len() as u64;
    let (mut low, mut span) = (stats.min, stats.span());
    let exception_bits = u64::from(index_width(values.len()) + bits(span));
    let mut best = None;
    let mut best_cost = rows * u64::from(width_for(span));
    loop {
        let shift = bits(span).saturating_sub(BUCKET_BITS);
        let before = counts_before(values, low, span, shift);
        let mut inner = None;
        for width in (shift..=bits(span)).take_while(|width| *width <= WIDTH_MAX) {
            let buckets = 1_usize << (width - shift);
            let (start, held) = densest(&before, buckets);
            let exceptions = rows - u64::from(held);
            if exceptions * EXCEPTIONS_MAX as u64 > rows {
                continue;
            }
            let base = low.wrapping_add((start << shift).cast_signed());
            let cost = rows * u64::from(width) + exceptions * exception_bits;
            if cost < best_cost {
                best_cost = cost;
                best = Some((base, width));
                inner = best;
            }
        }
        match inner {
            Some((base, width)) if shift > 0 => (low, span) = within(values, base, width),
            _ => return best,
        }
    }
}

/// The least value of a window and how far the greatest lies from it.
fn within(values: &[i64], base: i64, width: u32) -> (i64, u64) {
    let distances = values
        .iter()
        .map(|value| value.wrapping_sub(base).cast_unsigned())
        .filter(|distance| distance >> width == 0);
    let least = distances.clone().min().unwrap_or(0);
    let greatest = distances.max().unwrap_or(0);
    (base.wrapping_add(least.cast_signed()), greatest - least)
}

fn bits(span: u64) -> u32 {
    64 - span.leading_zeros()
}

/// For each bucket of `2^shift` values from `low` the number of values in those before it.
fn counts_before(values: &[i64], low: i64, span: u64, shift: u32) -> [u32; 257] {
    let mut counts = [0_u32; 257];
    for value in values {
        let distance = value.wrapping_sub(low).cast_unsigned();
        let bucket = usize::try_from(distance >> shift).unwrap_or(usize::MAX);
        if distance <= span
            && let Some(count) = counts.get_mut(bucket + 1)
        {
            *count += 1;
        }
    }
    let mut sum = 0;
    for count in &mut counts {
        sum += *count;
        *count = sum;
    }
    counts
}

/// The first bucket of the window of so many buckets that holds the most values, and how many.
fn densest(before: &[u32; 257], buckets: usize) -> (u64, u32) {
    let windows = before.iter().zip(before.iter().skip(buckets));
    let mut best = (0, 0);
    for (start, (before, through)) in (0..).zip(windows) {
        if through - before > best.1 {
            best = (start, through - before);
        }
    }
    best
}

/// A vector as stored.
pub(crate) struct Stored<'a> {
    pub(crate) base: i64,
    pub(crate) width: u32,
    exceptions: Vec<u16>,
    /// The values of the exceptions.
    patches: Vec<i64>,
    pub(crate) packed: &'a [u8],
}

impl<'a> Stored<'a> {
    pub(crate) fn take(mut reader: ByteReader<'a>, rows: usize) -> Result<Stored<'a>, CodecError> {
        let base = reader.zigzag()?;
        let width = checked_width(reader.u8()?)?;
        let end = 1_i64
            .checked_shl(width)
            .ok_or(CodecError::Malformed("bit width"))?;
        let exceptions = take_rows(&mut reader, rows)?;
        let excess_width = checked_width(reader.u8()?)?;
        let excesses = reader.take(packed_bytes(exceptions.len(), excess_width))?;
        let patches = unpack(excesses, excess_width, exceptions.len(), |excess| {
            let excess = unfold(excess);
            let end = if excess < 0 { 0 } else { end };
            base.wrapping_add(end).wrapping_add(excess)
        });
        let packed = reader.take(packed_bytes(rows, width))?;
        reader.end()?;
        Ok(Stored {
            base,
            width,
            exceptions,
            patches,
            packed,
        })
    }

    /// The rows that the packed distances do not hold, ascending, and their values.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (u16, i64)> + '_ {
        let patches = self.patches.iter().copied();
        self.exceptions.iter().copied().zip(patches)
    }
}

pub(crate) fn decode(reader: ByteReader<'_>, rows: usize) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(reader, rows)?;
    let mut values = varve_kernels::unpack(stored.packed, stored.width, rows, stored.base);
    patch(&mut values, &stored.exceptions, &stored.patches);
    Ok(values)
}

pub(crate) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(reader, rows)?;
    let at = |position: &u16| {
        let distance = get(stored.packed, stored.width, usize::from(*position));
        stored.base.wrapping_add(distance.cast_signed())
    };
    let mut values: Vec<i64> = positions.iter().map(at).collect();
    patch_gathered(&mut values, positions, &stored.exceptions, &stored.patches);
    Ok(values)
}
