//! Finite state entropy: how a table is described, and built (RFC 8878, 4.1).

use super::backward::BackwardBits;
use super::{MALFORMED, Result};
use crate::entropy::BitReader;

/// What a state stands for, and how the next one is found: `base` plus `width` bits.
#[derive(Clone, Copy, Default)]
struct Step {
    symbol: u8,
    width: u8,
    base: u16,
}

/// A decode table of `2^log` states; none of them until it is read or built.
#[derive(Clone, Default)]
pub(super) struct FseTable {
    log: u32,
    steps: Vec<Step>,
}

impl FseTable {
    /// The table that gives one symbol and takes no bits.
    pub(super) fn set_single(&mut self, symbol: u8) {
        self.log = 0;
        self.steps.clear();
        self.steps.push(Step {
            symbol,
            ..Step::default()
        });
    }

    /// Reads a description from the front of `bytes`, and gives what follows it. Symbols are at
    /// most `symbol_max`, states at most `2^log_max`.
    pub(super) fn read<'a>(
        &mut self,
        bytes: &'a [u8],
        log_max: u32,
        symbol_max: u8,
    ) -> Result<&'a [u8]> {
        let mut bits = BitReader::new(bytes);
        let log = small(bits.take(4))? + 5;
        if log > log_max {
            return Err(MALFORMED);
        }
        let mut shares: Vec<i16> = Vec::new();
        let mut unshared = 1_u64 << log;
        while unshared > 0 {
            // Values below `short` take a bit less.
            let width = (unshared + 1).ilog2() + 1;
            let short = (1 << width) - 2 - unshared;
            let below = (1 << (width - 1)) - 1;
            let value = bits.peek() & ((1 << width) - 1);
            let (value, width) = match value & below {
                low if low < short => (low, width - 1),
                low if low == value => (value, width),
                _ => (value - short, width),
            };
            bits.skip(width);
            // 0 is the share "less than one", which takes one state.
            let share = i16::try_from(value).map_err(|_| MALFORMED)? - 1;
            unshared = unshared
                .checked_sub(u64::from(share.unsigned_abs()))
                .ok_or(MALFORMED)?;
            shares.push(share);
            let mut zeros = if share == 0 { 3 } else { 0 };
            while zeros == 3 && shares.len() <= usize::from(u8::MAX) {
                zeros = small(bits.take(2))? as usize;
                shares.resize(shares.len() + zeros, 0);
            }
            if shares.len() > usize::from(symbol_max) + 1 {
                return Err(MALFORMED);
            }
        }
        let rest = bits.rest().ok_or(MALFORMED)?;
        self.build(&shares, log)?;
        Ok(rest)
    }

    /// The table of `2^log` states in which each symbol has its share of them; -1 is one state at
    /// the end.
    pub(super) fn build(&mut self, shares: &[i16], log: u32) -> Result<()> {
        let size = 1_usize << log;
        self.log = log;
        self.steps.clear();
        self.steps.resize(size, Step::default());
        let mut high = size;
        // How many states each symbol has, later the number of its next one.
        let mut counts = [0_u16; 256];
        for ((count, share), symbol) in counts.iter_mut().zip(shares).zip(0..) {
            *count = share.unsigned_abs();
            if *share == -1 {
                high = high.checked_sub(1).ok_or(MALFORMED)?;
                self.steps.get_mut(high).ok_or(MALFORMED)?.symbol = symbol;
            }
        }
        let stride = size / 2 + size / 8 + 3;
        let mut at = 0;
        for (share, symbol) in shares.iter().zip(0..) {
            for _ in 0..*share {
                self.steps.get_mut(at).ok_or(MALFORMED)?.symbol = symbol;
                loop {
                    at = (at + stride) & (size - 1);
                    if at < high || high == 0 {
                        break;
                    }
                }
            }
        }
        if at != 0 {
            return Err(MALFORMED);
        }
        for step in &mut self.steps {
            let count = counts.get_mut(usize::from(step.symbol)).ok_or(MALFORMED)?;
            let width = log - count.checked_ilog2().ok_or(MALFORMED)?;
            step.width = u8::try_from(width).map_err(|_| MALFORMED)?;
            let base = (usize::from(*count) << width) - size;
            step.base = u16::try_from(base).map_err(|_| MALFORMED)?;
            *count += 1;
        }
        Ok(())
    }

    /// Whether there are states.
    pub(super) fn is_built(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The first state.
    pub(super) fn start(&self, bits: &mut BackwardBits<'_>) -> usize {
        bits.take(self.log)
    }

    /// The symbol of a state.
    #[inline]
    pub(super) fn symbol(&self, state: usize) -> u8 {
        self.steps.get(state).map_or(0, |step| step.symbol)
    }

    /// How many bits lead to the next state.
    pub(super) fn width(&self, state: usize) -> usize {
        self.steps
            .get(state)
            .map_or(0, |step| usize::from(step.width))
    }

    /// The next state.
    #[inline]
    pub(super) fn next(&self, state: usize, bits: &mut BackwardBits<'_>) -> usize {
        let step = self.steps.get(state).copied().unwrap_or_default();
        usize::from(step.base) + bits.take(u32::from(step.width))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>()
    }
}

fn small(bits: u64) -> Result<u32> {
    u32::try_from(bits).map_err(|_| MALFORMED)
}
