//! Frame around a line: the distance of each value from a line through the vector, less the least
//! distance.
//!
//! Pays on timestamps whose jitter does not add up and on ids with gaps: half the width of deltas,
//! and any one value in constant time. Worst case: values that bend away from every line take a
//! wider frame than deltas would; fitting costs a second pass over the values.
//! Paper: Boffa, Ferragina, Vinciguerra, "A Learned Approach to Design Compressed Rank/Select Data
//! Structures" (2022), here one segment a vector with the line of the least greatest distance.
//! Layout: slope in 4,096ths (zigzag varint), least distance (zigzag varint), width (u8), packed
//! distances. The line at row i is `slope * i >> 12`, wrapping, rounded down.

use crate::CodecError;
use crate::bits::{get, packed_bytes, width_for};
use crate::integers::leaves::frame::{put_packed, take_packed};
use crate::integers::leaves::stats::Stats;
use crate::reader::ByteReader;
use crate::writer::{put_zigzag, zigzag_bytes};

/// Bits of a slope behind the point.
const POINT: u32 = 12;
/// Shorter vectors are not worth the fit.
const ROWS_MIN: usize = 32;
/// Wider values are not tried, so that nothing below overflows.
const SPAN_MAX: u64 = 1 << 48;
/// As far as points may lie from the first line for a better one to be looked for.
const DISTANCE_MAX: i64 = 1 << 50;

/// A line through a vector.
#[derive(Debug)]
pub(crate) struct Line {
    slope: i64,
    least: i64,
    span: u64,
}

impl Line {
    /// The line of the least greatest distance, for vectors that rise or fall throughout.
    pub(crate) fn of(values: &[i64], stats: &Stats) -> Option<Line> {
        let steps = i64::try_from(values.len().checked_sub(1)?).ok()?;
        let rise = values.last()?.wrapping_sub(stats.first);
        let trends = rise.unsigned_abs() >= stats.span() / 4 * 3;
        if values.len() < ROWS_MIN || stats.span() > SPAN_MAX || stats.delta_span() == 0 || !trends
        {
            return None;
        }
        let slope = fit(values, stats, (rise << POINT) / steps);
        let distance = |(row, value): (i64, &i64)| value.wrapping_sub(line(slope, row));
        let distances = || (0..).zip(values).map(distance);
        let (least, greatest) = (distances().min()?, distances().max()?);
        Some(Line {
            slope,
            least,
            span: greatest.wrapping_sub(least).cast_unsigned(),
        })
    }

    /// Bytes after the tag.
    pub(crate) fn bytes(&self, rows: usize) -> usize {
        let packed = packed_bytes(rows, width_for(self.span));
        zigzag_bytes(self.slope) + zigzag_bytes(self.least) + 1 + packed
    }

    pub(crate) fn encode(&self, values: &[i64], out: &mut Vec<u8>) {
        put_zigzag(self.slope, out);
        put_zigzag(self.least, out);
        let distance = |(row, value): (i64, &i64)| value.wrapping_sub(line(self.slope, row));
        let distances = (0..).zip(values).map(distance);
        put_packed(distances, self.least, self.span, out);
    }
}

/// The line at a row, less where it starts.
fn line(slope: i64, row: i64) -> i64 {
    slope.wrapping_mul(row) >> POINT
}

/// A row and how far its value lies above the first line, in 4,096ths.
type Point = (i64, i64);

/// The slope of the narrowest strip that holds all points, found among the edges of their hull;
/// `slope` is that of the line from the first to the last.
fn fit(values: &[i64], stats: &Stats, slope: i64) -> i64 {
    let point = |(row, value): (i64, &i64)| {
        let rise = value.wrapping_sub(stats.first) << POINT;
        (row, rise - slope * row)
    };
    let points: Vec<Point> = (0..).zip(values).map(point).collect();
    let rises = || points.iter().map(|(_, rise)| *rise);
    let (top, bottom) = (rises().max().unwrap_or(0), rises().min().unwrap_or(0));
    // The best line at most halves the strip around the first.
    let hopeless = (top - bottom) >> (POINT + 2) > stats.delta_span().min(SPAN_MAX).cast_signed();
    if hopeless || top > DISTANCE_MAX || bottom < -DISTANCE_MAX {
        return slope;
    }
    let upper = hull(&points, |turn| turn >= 0);
    let lower = hull(&points, |turn| turn <= 0);
    let strip = |tilt: i64| {
        let above = |(row, rise): &Point| rise - tilt * row;
        let top = upper.iter().map(above).max().unwrap_or(0);
        top - lower.iter().map(above).min().unwrap_or(0)
    };
    let edges = |hull: &[Point]| -> Vec<i64> {
        let pairs = hull.iter().zip(hull.iter().skip(1));
        pairs.map(|(a, b)| (b.1 - a.1) / (b.0 - a.0)).collect()
    };
    let tilts = edges(&upper).into_iter().chain(edges(&lower));
    let best = tilts.chain([0]).min_by_key(|tilt| (strip(*tilt), *tilt));
    slope + best.unwrap_or(0)
}

/// The points of the hull on one side: `drops` says by the turn at a point whether it lies inside.
fn hull(points: &[Point], drops: impl Fn(i64) -> bool) -> Vec<Point> {
    let mut hull: Vec<Point> = Vec::new();
    for point in points {
        while let [.., a, b] = hull.as_slice() {
            let turn = (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0);
            if !drops(turn) {
                break;
            }
            hull.pop();
        }
        hull.push(*point);
    }
    hull
}

pub(crate) fn decode(mut reader: ByteReader<'_>, rows: usize) -> Result<Vec<i64>, CodecError> {
    let slope = reader.zigzag()?;
    let least = reader.zigzag()?;
    let (width, packed) = take_packed(reader, rows)?;
    let mut values = varve_kernels::unpack(packed, width, rows, least);
    varve_kernels::add_line(&mut values, slope, POINT);
    Ok(values)
}

pub(crate) fn gather(
    mut reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let slope = reader.zigzag()?;
    let least = reader.zigzag()?;
    let (width, packed) = take_packed(reader, rows)?;
    let at = |position: &u16| {
        let distance = get(packed, width, usize::from(*position)).cast_signed();
        let line = line(slope, i64::from(*position));
        least.wrapping_add(distance).wrapping_add(line)
    };
    Ok(positions.iter().map(at).collect())
}
