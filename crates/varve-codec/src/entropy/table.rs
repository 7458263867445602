//! The tables of the coder: for each state the symbol that it stands for, and how the next state
//! follows.

use super::{Frequencies, LOG_MAX};

/// A step of decoding: the symbol, and the bits to add to a base for the next state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry(u32);

impl Entry {
    pub(crate) fn new(symbol: u8, width: u32, base: u16) -> Entry {
        Entry(u32::from(base) << 16 | width << 8 | u32::from(symbol))
    }

    /// The same step with another symbol.
    pub(crate) fn with_symbol(self, symbol: u8) -> Entry {
        Entry(self.0 & !0xff | u32::from(symbol))
    }

    /// The same step, marked. The mark shows in the next state as a bit above those of all tables.
    pub(crate) fn flagged(self) -> Entry {
        Entry(self.0 | 1 << 31)
    }

    #[inline]
    pub(crate) fn is_flagged(self) -> bool {
        self.0 >> 31 == 1
    }

    #[inline]
    pub(crate) fn symbol(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    #[inline]
    pub(crate) fn width(self) -> u32 {
        self.0 >> 8 & 0xff
    }

    /// The next state, by the bits at the front of `bits`.
    #[inline]
    pub(crate) fn next(self, bits: u64) -> u32 {
        let low = bits.to_le_bytes();
        let bits = u32::from_le_bytes([low[0], low[1], low[2], low[3]]);
        (self.0 >> 16) + (bits & ((1 << self.width()) - 1))
    }
}

const SLOTS_MAX: usize = 1 << LOG_MAX;

/// Decodes: one entry for each state. Its length is that of the largest table, so that a masked
/// state needs no check.
#[derive(Clone, Debug)]
pub(crate) struct DecodeTable {
    pub(crate) log: u32,
    entries: Box<[Entry; SLOTS_MAX]>,
}

impl DecodeTable {
    pub(crate) fn new(frequencies: &Frequencies) -> DecodeTable {
        let mut entries = Box::new([Entry::default(); SLOTS_MAX]);
        for (slot, entry) in entries.iter_mut().zip(entries_of(frequencies)) {
            *slot = entry;
        }
        DecodeTable {
            log: frequencies.log,
            entries,
        }
    }

    /// The entry of a state.
    #[inline]
    pub(crate) fn entry(&self, state: u32) -> Entry {
        #[expect(clippy::indexing_slicing, reason = "the mask is the length less one")]
        self.entries[state as usize & (SLOTS_MAX - 1)]
    }
}

/// The entries of all states.
pub(crate) fn entries_of(frequencies: &Frequencies) -> Vec<Entry> {
    let size = 1_u32 << frequencies.log;
    let mut next: Vec<u32> = frequencies.of.iter().map(|of| u32::from(*of)).collect();
    let entry = |symbol: u8| {
        let Some(reached) = next.get_mut(usize::from(symbol)) else {
            return Entry::default();
        };
        let width = frequencies.log.saturating_sub(reached.ilog2());
        let base = (*reached << width).wrapping_sub(size);
        *reached += 1;
        Entry::new(symbol, width, u16::try_from(base).unwrap_or(0))
    };
    spread(frequencies).into_iter().map(entry).collect()
}

/// The symbol of each state: those of one symbol lie far apart.
fn spread(frequencies: &Frequencies) -> Vec<u8> {
    let size = 1_usize << frequencies.log;
    let step = (size >> 1) + (size >> 3) + 3;
    let mut symbols = vec![0; size];
    let mut at = 0;
    for (symbol, frequency) in (0..=u8::MAX).zip(&frequencies.of) {
        for _ in 0..*frequency {
            if let Some(slot) = symbols.get_mut(at) {
                *slot = symbol;
            }
            at = (at + step) & (size - 1);
        }
    }
    symbols
}

/// Encodes: for each symbol the states that stand for it, ascending.
#[derive(Clone, Debug)]
pub(crate) struct EncodeTable {
    pub(crate) log: u32,
    /// By symbol.
    symbols: Box<[States; 256]>,
    states: Vec<u16>,
}

/// The states of a symbol.
#[derive(Clone, Copy, Debug, Default)]
struct States {
    start: u16,
    count: u16,
}

impl EncodeTable {
    pub(crate) fn new(frequencies: &Frequencies) -> EncodeTable {
        let mut symbols = Box::new([States::default(); 256]);
        let mut end = 0;
        for (slot, frequency) in symbols.iter_mut().zip(&frequencies.of) {
            slot.start = end;
            end += frequency;
        }
        let mut states = vec![0; usize::from(end)];
        for (state, symbol) in (0_u16..).zip(spread(frequencies)) {
            if let Some(of) = symbols.get_mut(usize::from(symbol)) {
                if let Some(slot) = states.get_mut(usize::from(of.start + of.count)) {
                    *slot = state;
                }
                of.count += 1;
            }
        }
        EncodeTable {
            log: frequencies.log,
            symbols,
            states,
        }
    }

    /// Whether a symbol has a code.
    pub(crate) fn has(&self, symbol: u8) -> bool {
        self.of(symbol).count > 0
    }

    /// A state that stands for a symbol.
    pub(crate) fn first(&self, symbol: u8) -> u32 {
        let state = self.states.get(usize::from(self.of(symbol).start));
        state.copied().map_or(0, u32::from)
    }

    #[inline]
    fn of(&self, symbol: u8) -> States {
        #[expect(clippy::indexing_slicing, reason = "there is a slot for every symbol")]
        self.symbols[usize::from(symbol)]
    }

    /// The state from which a symbol leads to `state`, and the bits (value and width) that tell the
    /// way.
    pub(crate) fn step(&self, symbol: u8, state: u32) -> (u32, u32, u32) {
        let States { start, count } = self.of(symbol);
        let frequency = u32::from(count);
        let full = state + (1 << self.log);
        let widest = self.log - frequency.max(1).ilog2();
        let width = match full >> widest < frequency {
            true => widest.saturating_sub(1),
            false => widest,
        };
        let slot = usize::from(start) + ((full >> width) - frequency.max(1)) as usize;
        let from = self.states.get(slot).copied().map_or(0, u32::from);
        (from, full & ((1 << width) - 1), width)
    }
}
