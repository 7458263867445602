//! Bits in the order in which they are read, least significant first.

use crate::CodecError;

/// The most bits that one look at the front shows.
pub(crate) const PEEK_BITS: u32 = 57;

/// Collects bits.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    filled: u32,
}

impl BitWriter {
    /// Appends the low `width` bits, at most 56, of a value below `2^width`.
    #[inline]
    pub(crate) fn put(&mut self, value: u64, width: u32) {
        debug_assert!(width <= 56 && value >> width == 0);
        self.pending |= value << self.filled;
        let filled = self.filled + width;
        if filled >= u64::BITS {
            self.bytes.extend_from_slice(&self.pending.to_le_bytes());
            // What had no room; there was less than 64 bits, and no value is a whole one.
            self.pending = value >> (u64::BITS - self.filled);
        }
        self.filled = filled % u64::BITS;
    }

    /// Appends a value of up to 64 bits.
    #[inline]
    pub(crate) fn put_wide(&mut self, value: u64, width: u32) {
        if width <= 56 {
            return self.put(value, width);
        }
        self.put(value & u64::from(u32::MAX), 32);
        self.put(value >> 32, width - 32);
    }

    /// Appends a number above 0, in twice the bits that it has, less one (Elias gamma).
    pub(crate) fn put_gamma(&mut self, value: u32) {
        debug_assert!(value > 0);
        let width = value.ilog2();
        self.put(1 << width, width + 1);
        self.put(u64::from(value) & ((1 << width) - 1), width);
    }

    /// How many bits there are.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() * 8 + self.filled as usize
    }

    /// The bytes, the last one filled up with zeros.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let bytes = self.filled.div_ceil(8) as usize;
        let pending = self.pending.to_le_bytes();
        self.bytes.extend(pending.iter().take(bytes));
        self.bytes
    }
}

/// Reads bits; past the end there are zeros, which [`BitReader::end`] tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The last bytes, and zeros after them: where a load from `bytes` would pass the end.
    tail: [u8; 2 * TAIL],
}

const TAIL: usize = 8;

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        let mut tail = [0; 2 * TAIL];
        let last = bytes.get(bytes.len().saturating_sub(TAIL)..);
        for (to, from) in tail.iter_mut().zip(last.unwrap_or_default()) {
            *to = *from;
        }
        BitReader { bytes, at: 0, tail }
    }

    /// The next bits, at least [`PEEK_BITS`] of them.
    #[inline]
    pub(crate) fn peek(&self) -> u64 {
        let byte = self.at >> 3;
        let rest = self.bytes.get(byte..).unwrap_or_default();
        let chunk = rest.first_chunk::<8>().or_else(|| {
            let into = byte.saturating_sub(self.bytes.len().saturating_sub(TAIL));
            self.tail.get(into..)?.first_chunk::<8>()
        });
        chunk.map_or(0, |chunk| u64::from_le_bytes(*chunk)) >> (self.at & 7)
    }

    /// Leaves out `bits` bits.
    #[inline]
    pub(crate) fn skip(&mut self, bits: u32) {
        self.at += bits as usize;
    }

    /// The next `width` bits, at most 56.
    #[inline]
    pub(crate) fn take(&mut self, width: u32) -> u64 {
        let value = self.peek() & ((1 << width) - 1);
        self.skip(width);
        value
    }

    /// What [`BitWriter::put_wide`] wrote.
    pub(crate) fn take_wide(&mut self, width: u32) -> u64 {
        let low = self.take(width.min(32));
        low | self.take(width.saturating_sub(32)) << 32
    }

    /// What [`BitWriter::put_gamma`] wrote, below `2^(log + 1)`.
    pub(crate) fn take_gamma(&mut self, log: u32) -> Result<u32, CodecError> {
        let width = self.peek().trailing_zeros();
        if width > log.min(PEEK_BITS / 2) {
            return Err(CodecError::Malformed("frequency"));
        }
        self.skip(width + 1);
        let low = self.take(width);
        u32::try_from(1 << width | low).map_err(|_| CodecError::Malformed("frequency"))
    }

    /// The bytes after those that were read from; `None` if more were.
    pub(crate) fn rest(self) -> Option<&'a [u8]> {
        self.bytes.get(self.at.div_ceil(8)..)
    }

    /// Refuses to have read past the end, or to have left bytes over.
    pub(crate) fn end(self) -> Result<(), CodecError> {
        match self.at.div_ceil(8) {
            bytes if bytes > self.bytes.len() => Err(CodecError::UnexpectedEnd),
            bytes if bytes < self.bytes.len() => Err(CodecError::TrailingBytes),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BitReader, BitWriter};
    use crate::bits::bits_at;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn bits_come_back(parts in proptest::collection::vec((any::<u64>(), 0..=64_u32), 0..99)) {
            let cut = |(value, width): (u64, u32)| {
                (value & u64::MAX.checked_shr(64 - width).unwrap_or(0), width)
            };
            let parts: Vec<(u64, u32)> = parts.into_iter().map(cut).collect();
            let mut writer = BitWriter::default();
            for (value, width) in &parts {
                writer.put_wide(*value, *width);
            }
            let total = writer.len();
            let bytes = writer.finish();
            prop_assert_eq!(bytes.len(), total.div_ceil(8));
            let mut reader = BitReader::new(&bytes);
            let mut at = 0;
            for (value, width) in parts {
                prop_assert_eq!(bits_at(&bytes, at, width), value);
                prop_assert_eq!(reader.take_wide(width), value);
                at += width as usize;
            }
            prop_assert_eq!(at, total);
            prop_assert_eq!(reader.end(), Ok(()));
        }
    }
}
