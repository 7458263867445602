//! Finds the symbols that stand at one place of a string.

use super::ESCAPE;
use super::table::Symbol;

/// Costs that one place sees: one for each length, and up to a power of two.
pub(super) const WINDOW: usize = 16;
const SLOT_BITS: u32 = 12;

/// What stands at one place of a string: a symbol's code, or a byte that has none.
///
/// Bits 0 to 7 are the code or the byte, bit 8 marks an escaped byte, bits 9 to 11 are 8 - length:
/// so of two tokens the lower one is the longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Token(u16);

impl Token {
    /// [`Token::id`] is below.
    pub(super) const IDS: usize = 512;
    const ESCAPED: u16 = 1 << 8;

    fn of_symbol(code: u8, len: u8) -> Token {
        Token(u16::from(code) | u16::from(8 - len) << 9)
    }

    fn of_byte(byte: u8) -> Token {
        Token(Token::ESCAPED | u16::from(byte) | 7 << 9)
    }

    /// The code, or the byte that follows an escape.
    pub(super) fn byte(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    pub(super) fn is_escaped(self) -> bool {
        self.0 & Token::ESCAPED != 0
    }

    /// The code, or 256 and the byte.
    pub(super) fn id(self) -> u16 {
        self.0 & 0x1ff
    }

    /// Bytes of the string.
    pub(super) fn len(self) -> usize {
        8 - usize::from(self.0 >> 9 & 7)
    }
}

/// A token and, above it, code bytes: its own, or those from its place to the end of the string.
/// The lowest is the best: the fewest bytes, then the longest token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Choice(u32);

impl Choice {
    /// The end of a string.
    pub(super) const END: Choice = Choice(0);
    /// Where no string ends: dearer than any string.
    pub(super) const NONE: Choice = Choice(1 << 30);

    fn of(token: Token) -> Choice {
        let code_bytes = 1 + u32::from(token.is_escaped());
        Choice(code_bytes << 16 | u32::from(token.0))
    }

    pub(super) fn token(self) -> Token {
        let [low, high, ..] = self.0.to_le_bytes();
        Token(u16::from_le_bytes([low, high]))
    }

    pub(super) fn code_bytes(self) -> u32 {
        self.0 >> 16
    }

    #[inline]
    fn before(self, next: Choice) -> Choice {
        Choice(self.0 + (next.0 & 0xffff_0000))
    }

    /// This one if `holds`; as arithmetic, for no branch could be foretold.
    #[inline]
    fn only_if(self, holds: bool) -> Choice {
        if holds { self } else { Choice::NONE }
    }
}

/// What may follow a token, by the token's length.
pub(super) type Following = [Choice; WINDOW];

/// A symbol of three bytes or more.
#[derive(Clone, Copy, Debug)]
struct Long {
    packed: u64,
    choice: Choice,
    /// Bits above the symbol's: what is left when they are shifted out must be equal.
    shift: u8,
    len: u8,
    /// Whether the next one belongs to the same slot.
    more: bool,
}

impl Long {
    /// Stands first in the list, for slots that have none.
    const NONE: Long = Long {
        packed: 0,
        choice: Choice::NONE,
        shift: 0,
        len: 8,
        more: false,
    };

    #[inline]
    fn matches(&self, packed: u64) -> bool {
        (packed ^ self.packed) << (self.shift & 63) == 0
    }
}

/// A set of symbols, found by the bytes that they start with.
pub(super) struct Lookup {
    /// The symbol or escape of one byte.
    singles: Box<[Choice; 256]>,
    /// The code of two bytes, [`ESCAPE`] where there is none.
    pairs: Box<[u8; 65536]>,
    /// Where the symbols of three bytes and more start in `longs`, by a hash of the first three.
    slots: Box<[u8; 1 << SLOT_BITS]>,
    longs: Box<[Long; 256]>,
}

impl Lookup {
    /// Symbol `i` gets code `i`; those past 255 are left out.
    pub(super) fn new(symbols: &[Symbol]) -> Lookup {
        let mut lookup = Lookup {
            singles: Box::new([Choice::NONE; 256]),
            pairs: Box::new([ESCAPE; 65536]),
            slots: Box::new([0; 1 << SLOT_BITS]),
            longs: Box::new([Long::NONE; 256]),
        };
        lookup.set_symbols(symbols);
        lookup
    }

    /// Replaces all symbols.
    pub(super) fn set_symbols(&mut self, symbols: &[Symbol]) {
        for (single, byte) in self.singles.iter_mut().zip(0..=u8::MAX) {
            *single = Choice::of(Token::of_byte(byte));
        }
        self.pairs.fill(ESCAPE);
        self.slots.fill(0);
        let mut chains = Vec::new();
        for (code, symbol) in (0..ESCAPE).zip(symbols) {
            let choice = Choice::of(Token::of_symbol(code, symbol.len));
            let [first, second, ..] = symbol.packed.to_le_bytes();
            match symbol.len {
                1 => put(self.singles.as_mut_slice(), usize::from(first), choice),
                2 => {
                    let at = usize::from(u16::from_le_bytes([first, second]));
                    put(self.pairs.as_mut_slice(), at, code);
                }
                _ => chains.push((slot(symbol.packed) as u128) << 32 | u128::from(choice.0)),
            }
        }
        varve_sort::sort(&mut chains);
        let mut next = 1_u8;
        for chain in chains.chunk_by(|a, b| a >> 32 == b >> 32) {
            let mut left = chain.len();
            for packed in chain {
                let [code, ..] = packed.to_le_bytes();
                let symbol = at(symbols, usize::from(code), Symbol::default());
                if left == chain.len() {
                    put(self.slots.as_mut_slice(), slot(symbol.packed), next);
                }
                left -= 1;
                let long = Long {
                    packed: symbol.packed,
                    choice: Choice::of(Token::of_symbol(code, symbol.len)),
                    shift: 64 - 8 * symbol.len,
                    len: symbol.len,
                    more: left > 0,
                };
                put(self.longs.as_mut_slice(), usize::from(next), long);
                next = next.wrapping_add(1);
            }
        }
    }

    /// What to take where the next eight bytes are `packed`. Always something, for any single byte
    /// can stand alone.
    #[inline]
    pub(super) fn cheapest(&self, packed: u64, following: &Following) -> Choice {
        let [first, second, ..] = packed.to_le_bytes();
        let mut best = Choice::NONE;
        let mut place = at(self.slots.as_slice(), slot(packed), 0);
        loop {
            let long = at(self.longs.as_slice(), usize::from(place), Long::NONE);
            let next = usize::from(long.len) & (WINDOW - 1);
            let choice = long.choice.before(at(following, next, Choice::NONE));
            best = best.min(choice.only_if(long.matches(packed)));
            if !long.more {
                break;
            }
            place = place.wrapping_add(1);
        }
        let pair = usize::from(u16::from_le_bytes([first, second]));
        let code = at(self.pairs.as_slice(), pair, ESCAPE);
        let pair = Choice::of(Token::of_symbol(code, 2)).before(following[2]);
        let single = at(self.singles.as_slice(), usize::from(first), Choice::NONE);
        // Last what depends on the place looked at just before.
        let best = best.min(pair.only_if(code != ESCAPE));
        best.min(single.before(following[1]))
    }
}

#[inline]
fn at<T: Copy>(list: &[T], at: usize, or: T) -> T {
    list.get(at).copied().unwrap_or(or)
}

fn put<T>(list: &mut [T], at: usize, value: T) {
    if let Some(place) = list.get_mut(at) {
        *place = value;
    }
}

/// A hash of the first three bytes.
fn slot(packed: u64) -> usize {
    let [a, b, c, ..] = packed.to_le_bytes();
    let three = u32::from_le_bytes([0, a, b, c]);
    (three.wrapping_mul(0x9e37_79b1) >> (32 - SLOT_BITS)) as usize
}
