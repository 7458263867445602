//! Codes of some strings, column by column: the first code of each string, then the second of each
//! that has one, and so on. What a code depends on was read a column ago, so a decoder never waits
//! for it.
//!
//! Layout: four states (10 bits each), then for each code the bits of its step, and eight bits more
//! after an escape. The states take turns within a column.

use super::contexts::{ContextDecoder, ContextEncoder, LOG};
use super::{BitReader, BitWriter};
use crate::CodecError;

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
) {
    let code_at = |at: u32| codes.get(at as usize).copied().unwrap_or(0);
    let mut order = Vec::new();
    let mut left: Vec<Span> = spans.iter().copied().filter(|(at, end)| at < end).collect();
    let mut first = true;
    while !left.is_empty() {
        for ((at, _), turn) in left.iter_mut().zip((0..TURNS).cycle()) {
            let cluster = match first {
                true => encoder.start,
                false => {
                    let before = usize::from(code_at(*at - 1));
                    encoder.after.get(before).copied().unwrap_or(0)
                }
            };
            order.push((cluster, code_at(*at), turn));
            *at += 1;
        }
        left.retain(|(at, end)| at < end);
        first = false;
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
}

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
        *state = u32::try_from(bits.take(LOG)).unwrap_or(0);
    }
    let mut left: Vec<Span> = spans.iter().copied().filter(|(at, end)| at < end).collect();
    let mut first = true;
    while !left.is_empty() {
        let table = |codes: &[u8], at: u32| {
            let before = codes.get((at as usize).wrapping_sub(1)).copied();
            match before {
                Some(before) if !first => table_after(decoder, before),
                _ => decoder.start,
            }
        };
        let (fours, rest) = left.as_chunks_mut::<TURNS>();
        let [mut a, mut b, mut c, mut d] = states;
        let mut front = bits;
        for [of_a, of_b, of_c, of_d] in fours {
            let entry_a = decoder.entry(table(codes, of_a.0), a);
            let entry_b = decoder.entry(table(codes, of_b.0), b);
            let entry_c = decoder.entry(table(codes, of_c.0), c);
            let entry_d = decoder.entry(table(codes, of_d.0), d);
            if entry_a.is_flagged()
                | entry_b.is_flagged()
                | entry_c.is_flagged()
                | entry_d.is_flagged()
            {
                let turns = [(of_a, &mut a), (of_b, &mut b), (of_c, &mut c), (of_d, &mut d)];
                for (span, state) in turns {
                    step(decoder, table(codes, span.0), state, &mut front, span, codes);
                }
                continue;
            }
            let word = front.peek();
            let half = entry_a.width() + entry_b.width();
            front.skip(half + entry_c.width() + entry_d.width());
            let after = word >> half;
            a = entry_a.next(word);
            b = entry_b.next(word >> entry_a.width());
            c = entry_c.next(after);
            d = entry_d.next(after >> entry_c.width());
            put(codes, of_a, entry_a.symbol());
            put(codes, of_b, entry_b.symbol());
            put(codes, of_c, entry_c.symbol());
            put(codes, of_d, entry_d.symbol());
        }
        bits = front;
        states = [a, b, c, d];
        for (span, state) in rest.iter_mut().zip(&mut states) {
            step(decoder, table(codes, span.0), state, &mut bits, span, codes);
        }
        left.retain(|(at, end)| at < end);
        first = false;
    }
    bits.end()
}

#[inline]
fn table_after(decoder: &ContextDecoder, code: u8) -> u16 {
    #[expect(clippy::indexing_slicing, reason = "there is a slot for every code")]
    decoder.after[usize::from(code)]
}

#[inline]
fn put(codes: &mut [u8], span: &mut Span, code: u8) {
    if let Some(slot) = codes.get_mut(span.0 as usize) {
        *slot = code;
    }
    span.0 += 1;
}

/// One code, escaped or not.
fn step(
    decoder: &ContextDecoder,
    table: u16,
    state: &mut u32,
    bits: &mut BitReader<'_>,
    span: &mut Span,
    codes: &mut [u8],
) {
    let entry = decoder.entry(table, *state);
    *state = entry.next(bits.take(entry.width()));
    let code = match entry.is_flagged() {
        true => bits.take(8).to_le_bytes()[0],
        false => entry.symbol(),
    };
    put(codes, span, code);
}
