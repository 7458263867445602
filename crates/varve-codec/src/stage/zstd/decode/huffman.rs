//! Huffman codes of literals (RFC 8878, 4.2).

use super::backward::BackwardBits;
use super::fse::FseTable;
use super::{MALFORMED, Result};

const LOG_MAX: u32 = 11;
/// Codes are at most [`LOG_MAX`] bits, and five of them are at hand.
const CODES_AT_HAND: usize = 5;
const WEIGHTS_LOG_MAX: u32 = 6;

/// What the next bits begin with.
#[derive(Clone, Copy, Default)]
struct Code {
    symbol: u8,
    width: u8,
}

/// A decode table, looked up by the next `log` bits; empty until it is read.
#[derive(Clone, Default)]
pub(super) struct HuffmanTable {
    log: u32,
    codes: Vec<Code>,
    weights: Vec<u8>,
    weight_states: FseTable,
}

impl HuffmanTable {
    /// Reads a description from the front of `bytes`, and gives what follows it.
    pub(super) fn read<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8]> {
        let (head, rest) = bytes.split_first().ok_or(MALFORMED)?;
        self.weights.clear();
        let rest = match head.checked_sub(127) {
            None | Some(0) => {
                let (described, rest) =
                    rest.split_at_checked(usize::from(*head)).ok_or(MALFORMED)?;
                self.read_weights(described)?;
                rest
            }
            Some(count) => {
                let count = usize::from(count);
                let (halves, rest) = rest.split_at_checked(count.div_ceil(2)).ok_or(MALFORMED)?;
                let halves = halves.iter().flat_map(|byte| [byte >> 4, byte & 15]);
                self.weights.extend(halves.take(count));
                rest
            }
        };
        self.build()?;
        Ok(rest)
    }

    /// Weights in states of two turns.
    fn read_weights(&mut self, described: &[u8]) -> Result<()> {
        let bytes = self
            .weight_states
            .read(described, WEIGHTS_LOG_MAX, u8::MAX)?;
        let table = &self.weight_states;
        let mut bits = BackwardBits::new(bytes)?;
        let mut state = table.start(&mut bits);
        let mut other = table.start(&mut bits);
        while self.weights.len() < usize::from(u8::MAX) {
            bits.refill();
            self.weights.push(table.symbol(state));
            if bits.remaining() < table.width(state) {
                self.weights.push(table.symbol(other));
                return Ok(());
            }
            let next = table.next(state, &mut bits);
            (state, other) = (other, next);
        }
        Err(MALFORMED)
    }

    /// The last weight is not written: it makes the sum a power of two.
    fn build(&mut self) -> Result<()> {
        let space = |weight: u8| match weight {
            0 => Ok(0),
            1..=12 => Ok(1_usize << (weight - 1)),
            _ => Err(MALFORMED),
        };
        let mut sum = 0;
        for weight in &self.weights {
            sum += space(*weight)?;
        }
        self.log = sum.checked_ilog2().ok_or(MALFORMED)? + 1;
        let missing = (1 << self.log) - sum;
        if self.log > LOG_MAX || !missing.is_power_of_two() {
            return Err(MALFORMED);
        }
        self.weights.push(width(missing.ilog2() + 1)?);
        self.codes.clear();
        for weight in 1..=width(self.log)? {
            for (each, symbol) in self.weights.iter().zip(0..=u8::MAX) {
                if *each == weight {
                    let width = width(self.log + 1)? - weight;
                    let len = self.codes.len() + space(weight)?;
                    self.codes.resize(len, Code { symbol, width });
                }
            }
        }
        Ok(())
    }

    /// Decodes one stream, which must fill `literals` exactly.
    pub(super) fn decode(&self, stream: &[u8], literals: &mut [u8]) -> Result<()> {
        let mut bits = BackwardBits::new(stream)?;
        for some in literals.chunks_mut(CODES_AT_HAND) {
            bits.refill();
            for literal in some {
                let code = self.codes.get(bits.peek(self.log)).ok_or(MALFORMED)?;
                bits.skip(u32::from(code.width));
                *literal = code.symbol;
            }
        }
        bits.end()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.codes.capacity() * size_of::<Code>()
            + self.weights.capacity()
            + self.weight_states.memory_bytes()
    }
}

fn width(bits: u32) -> Result<u8> {
    u8::try_from(bits).map_err(|_| MALFORMED)
}
