//! Decimals as bytes.
//!
//! The scale (u8), then the mantissa in the fewest little-endian bytes that hold its sign, none for
//! 0. NaN is one byte 255, Infinity 254, -Infinity 253.

use super::Decimal;

const NAN: u8 = 255;
const INFINITY: u8 = 254;
const NEG_INFINITY: u8 = 253;

impl Decimal {
    /// Appends the value as bytes.
    pub fn write_bytes(self, out: &mut Vec<u8>) {
        match self {
            Decimal::NAN => return out.push(NAN),
            Decimal::INFINITY => return out.push(INFINITY),
            Decimal::NEG_INFINITY => return out.push(NEG_INFINITY),
            _ => out.push(self.scale),
        }
        // The sign takes a bit.
        let bits = 129 - self.mantissa.unsigned_abs().leading_zeros();
        let bytes = if self.mantissa == 0 {
            0
        } else {
            bits.div_ceil(8)
        };
        out.extend(self.mantissa.to_le_bytes().iter().take(bytes as usize));
    }

    /// The value that [`Decimal::write_bytes`] wrote; `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Decimal> {
        let (first, rest) = bytes.split_first()?;
        match (*first, rest) {
            (NAN, []) => return Some(Decimal::NAN),
            (INFINITY, []) => return Some(Decimal::INFINITY),
            (NEG_INFINITY, []) => return Some(Decimal::NEG_INFINITY),
            _ => {}
        }
        let negative = rest.last().is_some_and(|top| top & 0x80 != 0);
        let mut mantissa = [if negative { 0xff } else { 0 }; 16];
        mantissa.get_mut(..rest.len())?.copy_from_slice(rest);
        Decimal::new(i128::from_le_bytes(mantissa), *first)
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn decimals_come_back(bits: i128, shift in 0..127_u32, scale in 0..40_u8) {
            let number = Decimal::from_parts((bits >> shift) % 10_i128.pow(38), scale);
            let specials = [Decimal::NAN, Decimal::INFINITY, Decimal::NEG_INFINITY];
            for number in specials.into_iter().chain([number]) {
                let mut bytes = Vec::new();
                number.write_bytes(&mut bytes);
                prop_assert_eq!(Decimal::from_bytes(&bytes), Some(number));
            }
        }

        #[test]
        fn any_bytes_are_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            let _ = Decimal::from_bytes(&bytes);
        }
    }
}
