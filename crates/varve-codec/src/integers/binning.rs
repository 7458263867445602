//! The choice of bins for [`super::bins`]: the sample's values in cells of like counts, and cells
//! merged so that symbols, distances and the bins themselves take the least bits together.

use crate::entropy::{FRACTION_BITS, Frequencies, log2};
use crate::integers::Scale;
use crate::integers::leaves::bin_table::{BINS_MAX, Bin};

/// Cells hold at least this part of the sample, but for frequent values, which have their own.
const CELLS: usize = 100;
/// A lone value that occurs so often is meant as it is: the values up to the next one are left out
/// of its cell.
const LONE_COUNT: usize = 8;
/// About what a bin takes in the shared part.
const BIN_BITS: u64 = 30;
/// What reading distances costs besides their bits, in fractions of a bit.
const DISTANCE_COST: u64 = 16;
/// Table sizes to choose from, as log2.
const LOGS: [u32; 4] = [8, 9, 10, 11];

/// Stretch of the sample.
#[derive(Clone, Copy, Debug)]
struct Cell {
    least: i64,
    last: i64,
    count: usize,
}

/// Bins for the values of a block like this sample, and the frequencies of their symbols and of
/// the one for other values. `None` for no values.
pub(super) fn bins(sample: &[Vec<i64>], scale: Scale) -> Option<(Vec<Bin>, Frequencies)> {
    let mut sorted: Vec<i64> = sample.iter().flatten().copied().collect();
    sorted.sort_unstable();
    let cells = cells(&sorted);
    let bin_cost = (BIN_BITS << FRACTION_BITS) * scale.sample_rows / scale.block_rows.max(1);
    let mut bins = merged(&cells, sorted.len(), bin_cost);
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    // Room on both sides for what the sample missed.
    let width = bits(last.wrapping_sub(first).cast_unsigned()).max(2);
    let room = 1_i64.checked_shl(width).filter(|room| *room > 0);
    if let Some(least) = room.and_then(|room| first.checked_sub(room)) {
        bins.insert(0, (Bin { least, width }, 1));
    }
    if let Some(least) = last.checked_add(1).filter(|_| width < u64::BITS) {
        bins.push((Bin { least, width }, 1));
    }
    let (bins, mut counts): (Vec<Bin>, Vec<u32>) = bins.into_iter().unzip();
    counts.push(1);
    let tables = LOGS.map(|log| Frequencies::of(&counts, log));
    let frequencies = tables.into_iter().min_by_key(|table| table.cost(&counts))?;
    (bins.len() <= BINS_MAX).then_some((bins, frequencies))
}

/// Cells that ascend, and leave out no value between the first and the last but next to lone ones.
fn cells(sorted: &[i64]) -> Vec<Cell> {
    let runs = || sorted.chunk_by(|a, b| a == b);
    let enough = match runs().nth(CELLS) {
        Some(_) => sorted.len() / CELLS,
        None => 0,
    };
    let mut cells: Vec<Cell> = Vec::new();
    for run in runs() {
        let Some(value) = run.first().copied() else {
            continue;
        };
        match cells.last_mut() {
            Some(cell) if cell.count < enough && run.len() < enough => {
                cell.last = value;
                cell.count += run.len();
            }
            _ => cells.push(Cell {
                least: value,
                last: value,
                count: run.len(),
            }),
        }
    }
    let nexts: Vec<i64> = cells.iter().skip(1).map(|cell| cell.least).collect();
    for (cell, next) in cells.iter_mut().zip(nexts) {
        if cell.count < LONE_COUNT || cell.least < cell.last {
            cell.last = next - 1;
        }
    }
    cells
}

/// The cheapest bins of neighbouring cells, and their counts.
fn merged(cells: &[Cell], total: usize, bin_cost: u64) -> Vec<(Bin, u32)> {
    let logs: Vec<u64> = (0..=total as u64).map(log2).collect();
    let log = |count: usize| logs.get(count).copied().unwrap_or(0);
    // For each number of cells from the front: the least cost, and where the last bin starts.
    let mut best: Vec<(u64, usize)> = vec![(0, 0)];
    for end in 1..=cells.len() {
        let front = cells.get(..end).unwrap_or_default();
        let Some(last) = front.last() else { continue };
        let (mut count, mut cheapest) = (0, (u64::MAX, 0));
        for (start, (cell, (before, _))) in front.iter().zip(&best).enumerate().rev() {
            count += cell.count;
            let width = u64::from(bits(last.last.wrapping_sub(cell.least).cast_unsigned()));
            let each = log(total) - log(count) + (width << FRACTION_BITS);
            let each = each + if width > 0 { DISTANCE_COST } else { 0 };
            let cost = before + bin_cost + count as u64 * each;
            cheapest = cheapest.min((cost, start));
        }
        best.push(cheapest);
    }
    let mut bins = Vec::new();
    let mut end = cells.len();
    while end > 0 {
        let start = best.get(end).map_or(0, |(_, start)| *start);
        let group = cells.get(start..end).unwrap_or_default();
        if let (Some(first), Some(last)) = (group.first(), group.last()) {
            let bin = Bin {
                least: first.least,
                width: bits(last.last.wrapping_sub(first.least).cast_unsigned()),
            };
            let count: usize = group.iter().map(|cell| cell.count).sum();
            bins.push((bin, u32::try_from(count).unwrap_or(u32::MAX)));
        }
        end = start;
    }
    bins.reverse();
    bins
}

/// The width that holds every value up to `max`.
fn bits(max: u64) -> u32 {
    u64::BITS - max.leading_zeros()
}
