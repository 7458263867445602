//! Bits of any width, one after another, least significant first.

use crate::bits::load;

/// Collects bits.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    pending: u128,
    filled: u32,
}

impl BitWriter {
    /// Appends the low `width` bits of a value that has no others; at most 64.
    pub(super) fn put(&mut self, value: u64, width: u32) {
        self.pending |= u128::from(value) << self.filled;
        self.filled += width;
        while self.filled >= 8 {
            self.bytes.push(self.pending.to_le_bytes()[0]);
            self.pending >>= 8;
            self.filled -= 8;
        }
    }

    /// How many bits there are.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() * 8 + self.filled as usize
    }

    /// The bits, the last byte filled up with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.bytes.push(self.pending.to_le_bytes()[0]);
        }
        self.bytes
    }
}

/// The `width` bits, at most 64, from bit `at`; bits past the end are zero.
pub(super) fn bits_at(bytes: &[u8], at: usize, width: u32) -> u64 {
    let Some(mask) = u64::MAX.checked_shr(64 - width) else {
        return 0;
    };
    let (byte, shift) = (at / 8, at % 8);
    let low = load(bytes, byte) >> shift;
    let high = match bytes.get(byte + 8) {
        Some(next) if shift > 0 => u64::from(*next) << (64 - shift),
        _ => 0,
    };
    (low | high) & mask
}

#[cfg(test)]
mod tests {
    use super::{BitWriter, bits_at};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn bits_come_back(parts in proptest::collection::vec((any::<u64>(), 0..=64_u32), 0..99)) {
            let mut writer = BitWriter::default();
            let cut = |(value, width): (u64, u32)| {
                (value & u64::MAX.checked_shr(64 - width).unwrap_or(0), width)
            };
            for (value, width) in parts.iter().copied().map(cut) {
                writer.put(value, width);
            }
            let total = writer.len();
            let bytes = writer.finish();
            prop_assert_eq!(bytes.len(), total.div_ceil(8));
            let mut at = 0;
            for (value, width) in parts.into_iter().map(cut) {
                prop_assert_eq!(bits_at(&bytes, at, width), value);
                at += width as usize;
            }
            prop_assert_eq!(at, total);
        }
    }
}
