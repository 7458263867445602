//! Frequencies of symbols, scaled so that they sum to a power of two.
//!
//! Layout: log2 of the sum (u8), number of symbols less one (u8), then for each symbol its
//! frequency plus one as an Elias gamma code: one bit for a symbol that does not occur.

use super::{BitReader, BitWriter, FRACTION_BITS, log2};
use crate::CodecError;
use crate::writer::{low16, low32};

/// The least and greatest log2 of a table's size.
pub(crate) const LOG_MIN: u32 = 5;
/// Four look-ups of so many bits fit one load of the bit reader.
pub(crate) const LOG_MAX: u32 = 12;
/// The most symbols of a table.
const SYMBOLS_MAX: usize = 256;

/// Normalised frequencies, by symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frequencies {
    pub(crate) log: u32,
    pub(crate) of: Vec<u16>,
}

impl Frequencies {
    /// Scales counts of at most 256 symbols; every symbol that occurs keeps a frequency. `log` is
    /// raised where that needs more room.
    pub(crate) fn of(counts: &[u32], log: u32) -> Frequencies {
        let counts = counts.get(..SYMBOLS_MAX).unwrap_or(counts);
        let used = counts.iter().filter(|count| **count > 0).count() as u64;
        let needed = u64::BITS - used.leading_zeros();
        let log = log.max(needed).clamp(LOG_MIN, LOG_MAX);
        let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        let size = 1_u64 << log;
        let scale = |count: u32| match count {
            0 => 0,
            count => (u64::from(count) * size / total.max(1)).max(1),
        };
        let mut of: Vec<u64> = counts.iter().map(|count| scale(*count)).collect();
        if of.iter().all(|frequency| *frequency == 0) {
            of.resize(of.len().max(1), 0);
            of.iter_mut().take(1).for_each(|first| *first = size);
        }
        balance(counts, &mut of, size);
        Frequencies {
            log,
            of: of.into_iter().map(low16).collect(),
        }
    }

    /// What symbols of these counts cost, in units of [`super::log2`]; symbols without a
    /// frequency are not counted.
    pub(crate) fn cost(&self, counts: &[u32]) -> u64 {
        let full = u64::from(self.log) << FRACTION_BITS;
        let pairs = counts.iter().zip(&self.of).filter(|(_, of)| **of > 0);
        pairs
            .map(|(count, of)| u64::from(*count) * (full - log2(u64::from(*of))))
            .sum()
    }

    pub(crate) fn write(&self, bits: &mut BitWriter) {
        bits.put(u64::from(self.log), 8);
        bits.put(self.of.len().saturating_sub(1) as u64, 8);
        self.write_of(bits);
    }

    /// Without the head.
    pub(crate) fn write_of(&self, bits: &mut BitWriter) {
        for frequency in &self.of {
            bits.put_gamma(u32::from(*frequency) + 1);
        }
    }

    pub(crate) fn read(bits: &mut BitReader<'_>) -> Result<Frequencies, CodecError> {
        let log = low32(bits.take(8));
        let count = low32(bits.take(8)) as usize + 1;
        Frequencies::read_of(log, count, bits)
    }

    /// Without the head.
    pub(crate) fn read_of(
        log: u32,
        count: usize,
        bits: &mut BitReader<'_>,
    ) -> Result<Frequencies, CodecError> {
        let malformed = CodecError::Malformed("frequencies");
        if !(LOG_MIN..=LOG_MAX).contains(&log) || count > SYMBOLS_MAX {
            return Err(malformed);
        }
        let mut of = Vec::with_capacity(count);
        let mut sum = 0;
        for _ in 0..count {
            let frequency = bits.take_gamma(log)? - 1;
            sum += frequency;
            of.push(u16::try_from(frequency).map_err(|_| malformed)?);
        }
        if sum == 1 << log {
            Ok(Frequencies { log, of })
        } else {
            Err(malformed)
        }
    }
}

/// Gives or takes single slots where it costs the least, until the frequencies sum to `size`.
fn balance(counts: &[u32], of: &mut [u64], size: u64) {
    let mut sum: u64 = of.iter().sum();
    // How much one more slot is worth is nearly the count over the frequency.
    let worth = |count: u32, of: u64| (u64::from(count) << 24) / (2 * of).max(1);
    while sum != size {
        let symbols = counts.iter().zip(of.iter_mut());
        if sum < size {
            let best = symbols.max_by_key(|(count, of)| worth(**count, **of * 2 + 1));
            let Some((_, of)) = best else { return };
            *of += 1;
            sum += 1;
        } else {
            let many = symbols.filter(|(_, of)| **of > 1);
            let best = many.min_by_key(|(count, of)| worth(**count, **of * 2 - 1));
            let Some((_, of)) = best else { return };
            *of -= 1;
            sum -= 1;
        }
    }
}
