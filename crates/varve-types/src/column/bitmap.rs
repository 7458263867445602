//! Bits in Arrow's order: least significant bit first.

/// A growable row of bits; bit `i` is bit `i % 8` of byte `i / 8`. Bits past the end are zero.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Bitmap {
    bytes: Vec<u8>,
    len: usize,
}

impl Bitmap {
    /// No bits.
    pub fn new() -> Bitmap {
        Bitmap::default()
    }

    /// `len` equal bits.
    pub fn filled(len: usize, bit: bool) -> Bitmap {
        let mut bitmap = Bitmap {
            bytes: vec![if bit { 0xff } else { 0 }; len.div_ceil(8)],
            len,
        };
        bitmap.clear_padding();
        bitmap
    }

    /// Bits from their bytes; missing bytes read as zero, bits past `len` are cleared.
    pub fn from_bytes(mut bytes: Vec<u8>, len: usize) -> Bitmap {
        bytes.resize(len.div_ceil(8), 0);
        let mut bitmap = Bitmap { bytes, len };
        bitmap.clear_padding();
        bitmap
    }

    fn clear_padding(&mut self) {
        let used = self.len % 8;
        if used != 0
            && let Some(last) = self.bytes.last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bit `i`; false past the end.
    pub fn get(&self, i: usize) -> bool {
        self.bytes
            .get(i / 8)
            .is_some_and(|byte| byte >> (i % 8) & 1 == 1)
    }

    /// Sets bit `i`; nothing happens past the end.
    pub fn set(&mut self, i: usize, bit: bool) {
        if i >= self.len {
            return;
        }
        if let Some(byte) = self.bytes.get_mut(i / 8) {
            if bit {
                *byte |= 1 << (i % 8);
            } else {
                *byte &= !(1 << (i % 8));
            }
        }
    }

    /// Adds a bit at the end.
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.len += 1;
        if bit {
            self.set(self.len - 1, true);
        }
    }

    /// Number of bits that are one.
    pub fn count_ones(&self) -> usize {
        self.bytes
            .iter()
            .map(|byte| byte.count_ones() as usize)
            .sum()
    }

    /// Whether every bit is one.
    pub fn all(&self) -> bool {
        self.count_ones() == self.len
    }

    /// The bits as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bits in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|i| self.get(i))
    }

    /// Bitwise AND of two bitmaps of one length.
    #[must_use]
    pub fn and(&self, other: &Bitmap) -> Bitmap {
        let bytes = self
            .bytes
            .iter()
            .zip(&other.bytes)
            .map(|(a, b)| a & b)
            .collect();
        Bitmap {
            bytes,
            len: self.len.min(other.len),
        }
    }
}

impl Extend<bool> for Bitmap {
    fn extend<I: IntoIterator<Item = bool>>(&mut self, bits: I) {
        let mut bits = bits.into_iter();
        while !self.len.is_multiple_of(8) {
            let Some(bit) = bits.next() else { return };
            self.push(bit);
        }
        loop {
            let (mut byte, mut taken) = (0, 0);
            while taken < 8
                && let Some(bit) = bits.next()
            {
                byte |= u8::from(bit) << taken;
                taken += 1;
            }
            if taken == 0 {
                return;
            }
            self.bytes.push(byte);
            self.len += taken;
            if taken < 8 {
                return;
            }
        }
    }
}

impl FromIterator<bool> for Bitmap {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Bitmap {
        let mut bitmap = Bitmap::new();
        bitmap.extend(bits);
        bitmap
    }
}

#[cfg(test)]
mod tests {
    use super::Bitmap;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn behaves_like_a_vector_of_bools(bits: Vec<bool>) {
            let bitmap: Bitmap = bits.iter().copied().collect();
            let mut twice = bitmap.clone();
            twice.extend(bits.iter().copied());
            let both = [bits.clone(), bits.clone()].concat();
            prop_assert_eq!(twice.iter().collect::<Vec<_>>(), both);
            prop_assert_eq!(bitmap.iter().collect::<Vec<_>>(), bits.clone());
            prop_assert_eq!(bitmap.count_ones(), bits.iter().filter(|bit| **bit).count());
            prop_assert_eq!(bitmap.all(), bits.iter().all(|bit| *bit));
            prop_assert!(!bitmap.get(bits.len()));
            let bytes = bitmap.as_bytes().to_vec();
            prop_assert_eq!(Bitmap::from_bytes(bytes, bits.len()), bitmap);
        }
    }

    #[test]
    fn padding_stays_clear() {
        assert_eq!(Bitmap::filled(3, true).as_bytes(), [0b111]);
        assert_eq!(Bitmap::from_bytes(vec![0xff], 3).as_bytes(), [0b111]);
    }
}
