//! Symbols in a row, by four states in turn, so that a decoder has four look-ups under way.
//!
//! Layout: the first states (log bits each, as many as symbols, at most four), then for each symbol
//! but the last of each state the bits of its step.

use super::{BitReader, BitWriter, DecodeTable, EncodeTable};
use crate::ROWS_MAX;

const STATES: usize = 4;

/// Appends symbols, each of which has a code.
pub(crate) fn encode_symbols(table: &EncodeTable, symbols: &[u8], bits: &mut BitWriter) {
    let mut states = [0; STATES];
    let tail = symbols.len().saturating_sub(STATES);
    let mut steps = Vec::with_capacity(tail);
    for (i, symbol) in symbols.iter().enumerate().rev() {
        let Some(state) = states.get_mut(i % STATES) else {
            return;
        };
        if i >= tail {
            *state = table.first(*symbol);
        } else {
            let (from, value, width) = table.step(*symbol, *state);
            *state = from;
            steps.push((value, width));
        }
    }
    for state in states.iter().take(symbols.len()) {
        bits.put(u64::from(*state), table.log);
    }
    for (value, width) in steps.into_iter().rev() {
        bits.put(u64::from(value), width);
    }
}

/// The next `count` symbols, at most a vector of them.
pub(crate) fn decode_symbols(
    table: &DecodeTable,
    bits: &mut BitReader<'_>,
    count: usize,
) -> Vec<u8> {
    let count = count.min(ROWS_MAX);
    let mut symbols = vec![0; count];
    let mut states = [0; STATES];
    for state in states.iter_mut().take(count) {
        *state = take_state(bits.take(table.log));
    }
    let with_step = count.saturating_sub(STATES);
    let (rounds, rest) = symbols.as_chunks_mut::<STATES>();
    let whole = with_step / STATES;
    let mut left = rounds.iter_mut();
    let [mut a, mut b, mut c, mut d] = states;
    let mut front = *bits;
    for round in left.by_ref().take(whole) {
        let bits = front.peek();
        let of_a = table.entry(a);
        let of_b = table.entry(b);
        let of_c = table.entry(c);
        let of_d = table.entry(d);
        *round = [of_a.symbol(), of_b.symbol(), of_c.symbol(), of_d.symbol()];
        let half = of_a.width() + of_b.width();
        front.skip(half + of_c.width() + of_d.width());
        let after = bits >> half;
        a = of_a.next(bits);
        b = of_b.next(bits >> of_a.width());
        c = of_c.next(after);
        d = of_d.next(after >> of_c.width());
    }
    *bits = front;
    states = [a, b, c, d];
    let last = left.flatten().chain(rest);
    let turns = (0..STATES).cycle();
    for ((i, slot), turn) in (whole * STATES..).zip(last).zip(turns) {
        let Some(state) = states.get_mut(turn) else {
            break;
        };
        let entry = table.entry(*state);
        *slot = entry.symbol();
        if i < with_step {
            *state = entry.next(bits.take(entry.width()));
        }
    }
    symbols
}

#[expect(clippy::cast_possible_truncation, reason = "at most 12 bits")]
fn take_state(bits: u64) -> u32 {
    bits as u32
}
