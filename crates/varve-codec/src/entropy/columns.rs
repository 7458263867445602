//! Codes of some strings, column by column: the first code of each string, then the second of each
//! that has one, and so on. What a code depends on was read a column ago, so a decoder never waits
//! for it.
//!
//! Layout: four states (10 bits each), then for each code the bits of its step, and eight bits more
//! after an escape. Within a column, strings of more codes come first, and the states take turns.

use super::contexts::{ContextDecoder, ContextEncoder, LOG};
use super::table::Entry;
use super::{BitReader, BitWriter};
use crate::CodecError;
use crate::writer::low32;

const TURNS: usize = 4;
/// The most strings that are coded together.
pub(crate) const COLUMN_STRINGS: usize = 256;

/// Where the codes of a string begin and end.
pub(crate) type Span = (u32, u32);

/// Appends the codes in these spans, at most [`COLUMN_STRINGS`].
pub(crate) fn encode_columns(
    encoder: &ContextEncoder,
    codes: &[u8],
    spans: &[Span],
    bits: &mut BitWriter,
) -> Option<()> {
    let code_at = |at: usize| codes.get(at).copied();
    let mut order = Vec::new();
    let longest_first = Sorted::new(spans);
    let mut column = 0;
    while let Some(starts) = longest_first.reaching(column) {
        for (start, turn) in starts.iter().zip((0..TURNS).cycle()) {
            let at = *start as usize + column;
            let cluster = match column {
                0 => encoder.start,
                _ => encoder.after(code_at(at - 1)?),
            };
            order.push((cluster, code_at(at)?, turn));
        }
        column += 1;
    }
    let mut states = [0; TURNS];
    let mut steps = Vec::with_capacity(order.len());
    for (cluster, code, turn) in order.into_iter().rev() {
        if let Some(state) = states.get_mut(turn) {
            let (from, value, width, escaped) = encoder.step(cluster, code, *state);
            *state = from;
            steps.push((value, width, escaped.then_some(code)));
        }
    }
    for state in states {
        bits.put(u64::from(state), LOG);
    }
    for (value, width, escaped) in steps.into_iter().rev() {
        bits.put(u64::from(value), width);
        if let Some(code) = escaped {
            bits.put(u64::from(code), 8);
        }
    }
    Some(())
}

/// Strings by falling number of codes; of equal ones the first comes first.
struct Sorted {
    starts: Vec<u32>,
    /// How many strings have at least so many codes and one more, where none is long.
    counts: Vec<usize>,
    /// Else how many codes each has: what a damaged length would ask for costs no memory.
    lengths: Vec<usize>,
}

impl Sorted {
    fn new(spans: &[Span]) -> Sorted {
        let length = |(start, end): &Span| end.saturating_sub(*start) as usize;
        let longest = spans.iter().map(length).max().unwrap_or(0);
        let mut starts = vec![0; spans.len()];
        // Counting is quick for short strings; sorting is for a length that would be its price.
        if longest <= SHORT_MAX {
            let mut counts = vec![0; longest + 1];
            for span in spans {
                if let Some(count) = counts.get_mut(length(span)) {
                    *count += 1;
                }
            }
            let mut longer = 0;
            let mut next = vec![0; longest + 1];
            for (count, next) in counts.iter_mut().zip(&mut next).rev() {
                *next = longer;
                longer += core::mem::replace(count, longer);
            }
            for span in spans {
                if let Some(next) = next.get_mut(length(span)) {
                    if let Some(slot) = starts.get_mut(*next) {
                        *slot = span.0;
                    }
                    *next += 1;
                }
            }
            counts.truncate(longest);
            return Sorted {
                starts,
                counts,
                lengths: Vec::new(),
            };
        }
        let mut order: Vec<&Span> = spans.iter().collect();
        varve_sort::sort_by_key(&mut order, |span| core::cmp::Reverse(length(span)));
        for (slot, span) in starts.iter_mut().zip(&order) {
            *slot = span.0;
        }
        Sorted {
            starts,
            counts: Vec::new(),
            lengths: order.into_iter().map(length).collect(),
        }
    }

    /// The starts of the strings that have a code in this column, if any has.
    fn reaching(&self, column: usize) -> Option<&[u32]> {
        let count = match self.counts.get(column) {
            Some(count) => *count,
            None => self.lengths.partition_point(|length| *length > column),
        };
        self.starts.get(..count).filter(|starts| !starts.is_empty())
    }
}

const SHORT_MAX: usize = 255;

/// Reads what [`encode_columns`] wrote for the same spans, each inside `codes`.
pub(crate) fn decode_columns(
    decoder: &ContextDecoder,
    bytes: &[u8],
    spans: &[Span],
    codes: &mut [u8],
) -> Result<(), CodecError> {
    let mut bits = BitReader::new(bytes);
    let mut states = [0; TURNS];
    for state in &mut states {
        *state = low32(bits.take(LOG));
    }
    let longest_first = Sorted::new(spans);
    let mut tables = [decoder.start; COLUMN_STRINGS];
    let (table_fours, table_rest) = tables.as_chunks_mut::<TURNS>();
    debug_assert!(table_rest.is_empty());
    let mut column = 0;
    while let Some(starts) = longest_first.reaching(column) {
        let (fours, rest) = starts.as_chunks::<TURNS>();
        let [mut a, mut b, mut c, mut d] = states;
        let mut front = bits;
        let mut table_fours = table_fours.iter_mut();
        for (starts, tables) in fours.iter().zip(&mut table_fours) {
            let entry_a = decoder.entry(tables[0], a);
            let entry_b = decoder.entry(tables[1], b);
            let entry_c = decoder.entry(tables[2], c);
            let entry_d = decoder.entry(tables[3], d);
            let mut decoded = [
                entry_a.symbol(),
                entry_b.symbol(),
                entry_c.symbol(),
                entry_d.symbol(),
            ];
            if entry_a.is_flagged()
                | entry_b.is_flagged()
                | entry_c.is_flagged()
                | entry_d.is_flagged()
            {
                let entries = [entry_a, entry_b, entry_c, entry_d];
                let states = [&mut a, &mut b, &mut c, &mut d];
                for ((entry, state), code) in entries.into_iter().zip(states).zip(&mut decoded) {
                    *code = step(entry, state, &mut front);
                }
            } else {
                let bits = front.peek();
                let half = entry_a.width() + entry_b.width();
                front.skip(half + entry_c.width() + entry_d.width());
                let after = bits >> half;
                a = entry_a.next(bits);
                b = entry_b.next(bits >> entry_a.width());
                c = entry_c.next(after);
                d = entry_d.next(after >> entry_c.width());
            }
            *tables = decoded.map(|code| decoder.after(code));
            put(codes, starts[0], column, decoded[0]);
            put(codes, starts[1], column, decoded[1]);
            put(codes, starts[2], column, decoded[2]);
            put(codes, starts[3], column, decoded[3]);
        }
        bits = front;
        states = [a, b, c, d];
        let last = table_fours.next().into_iter().flatten();
        for ((start, table), state) in rest.iter().zip(last).zip(&mut states) {
            let code = step(decoder.entry(*table, *state), state, &mut bits);
            *table = decoder.after(code);
            put(codes, *start, column, code);
        }
        column += 1;
    }
    bits.end()
}

#[inline]
fn put(codes: &mut [u8], start: u32, column: usize, code: u8) {
    if let Some(slot) = codes.get_mut(start as usize + column) {
        *slot = code;
    }
}

/// The code of an entry, escaped or not, and the state after it.
#[inline]
fn step(entry: Entry, state: &mut u32, bits: &mut BitReader<'_>) -> u8 {
    *state = entry.next(bits.take(entry.width()));
    match entry.is_flagged() {
        true => bits.take(8).to_le_bytes()[0],
        false => entry.symbol(),
    }
}
