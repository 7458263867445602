//! Cuts a string into the fewest code bytes.
//!
//! From the end of the string to its front, every position takes the symbol, or the escaped byte,
//! that leaves the fewest bytes to its right; of equals the longest. Every position is looked at,
//! where greedy cutting skips most; but the looks do not wait for one another, and nearly no branch
//! depends on the text, so that it takes no longer.

use super::SYMBOL_BYTES_MAX;
use super::lookup::{Choice, Lookup, Token, WINDOW};
use super::table::Symbol;

/// Longer strings are cut in pieces of this many bytes, so that the notes about one stay small.
const PIECE_BYTES: usize = 512;
/// Notes about the piece at hand, to be kept from string to string.
pub(super) struct Parser<'a> {
    lookup: &'a Lookup,
    /// The best choice for every position, and the end.
    choices: [Choice; PIECE_BYTES + WINDOW],
}

impl<'a> Parser<'a> {
    pub(super) fn new(lookup: &'a Lookup) -> Parser<'a> {
        Parser {
            lookup,
            choices: [Choice::NONE; PIECE_BYTES + WINDOW],
        }
    }

    /// Calls `visit` for each token of `string`, front to back.
    #[inline]
    pub(super) fn parse(&mut self, string: &[u8], mut visit: impl FnMut(Token)) {
        for piece in string.chunks(PIECE_BYTES) {
            self.choose(piece);
            let mut rest = self.choices.get(..piece.len()).unwrap_or_default();
            while let Some(choice) = rest.first() {
                let token = choice.token();
                visit(token);
                rest = rest.get(token.len()..).unwrap_or_default();
            }
        }
    }

    fn choose(&mut self, piece: &[u8]) {
        let ends = self.choices.get_mut(piece.len()..).unwrap_or_default();
        for (i, end) in ends.iter_mut().take(WINDOW).enumerate() {
            *end = if i == 0 { Choice::END } else { Choice::NONE };
        }
        let mut packed = 0;
        for (at, byte) in piece.iter().enumerate().rev() {
            packed = packed << 8 | u64::from(*byte);
            let window = self.choices.get_mut(at..).unwrap_or_default();
            if let Some(window) = window.first_chunk_mut() {
                window[0] = self.lookup.cheapest(packed, window);
            }
        }
    }
}

/// The fewest code bytes for the bytes of `symbol` without `symbol`.
pub(super) fn code_bytes_without(lookup: &Lookup, symbol: Symbol) -> u32 {
    if symbol.len == 1 {
        return 2;
    }
    let len = usize::from(symbol.len);
    let mut choices = [Choice::NONE; SYMBOL_BYTES_MAX + WINDOW];
    for at in (0..len).rev() {
        if let Some(end) = choices.get_mut(len) {
            // Only the symbol itself reaches the end from the front.
            *end = if at == 0 { Choice::NONE } else { Choice::END };
        }
        let window = choices.get_mut(at..).unwrap_or_default();
        if let Some(window) = window.first_chunk_mut() {
            window[0] = lookup.cheapest(symbol.packed >> (8 * at), window);
        }
    }
    choices[0].code_bytes()
}
