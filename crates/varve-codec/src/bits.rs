//! Bit-packing: values of one width, least significant bit first, one after another without gaps.
//!
//! Widths are 0 to 56, or 64: so every value lies within the eight bytes that start at its first
//! byte, and one unaligned load, one shift and one mask read it. A plain loop over that beats
//! unrolled unpackers of fixed widths, serves every count, and reads any one value in constant
//! time.

use crate::CodecError;

pub(crate) use varve_kernels::{load, mask};

const WIDTH_MAX: u32 = 56;

/// The width that holds every value up to `max`.
pub(crate) fn width_for(max: u64) -> u32 {
    match 64 - max.leading_zeros() {
        width if width > WIDTH_MAX => 64,
        width => width,
    }
}

/// The width of indexes below `count`.
pub(crate) fn index_width(count: usize) -> u32 {
    width_for(count.saturating_sub(1) as u64)
}

/// A stored width, if it is one that [`width_for`] gives.
pub(crate) fn checked_width(width: u8) -> Result<u32, CodecError> {
    match u32::from(width) {
        width if width <= WIDTH_MAX || width == 64 => Ok(width),
        _ => Err(CodecError::Malformed("bit width")),
    }
}

/// Bytes of `count` packed values.
pub(crate) fn packed_bytes(count: usize, width: u32) -> usize {
    (count * width as usize).div_ceil(8)
}

/// Appends the values, each below `2^width`.
pub(crate) fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let mut pending = 0_u128;
    let mut filled = 0;
    for value in values {
        debug_assert!(width == 64 || value >> width == 0);
        pending |= u128::from(value) << filled;
        filled += width;
        if filled >= 64 {
            let (low, _) = split(pending);
            out.extend_from_slice(&low.to_le_bytes());
            pending >>= 64;
            filled -= 64;
        }
    }
    let (low, _) = split(pending);
    out.extend(low.to_le_bytes().iter().take(filled.div_ceil(8) as usize));
}

/// `count` values from [`packed_bytes`] bytes, each put through `map`.
pub(crate) fn unpack<T>(packed: &[u8], width: u32, count: usize, map: impl Fn(u64) -> T) -> Vec<T> {
    let mask = mask(width);
    let step = width as usize;
    (0..count)
        .map(|i| {
            let bit = i * step;
            map(load(packed, bit >> 3) >> (bit & 7) & mask)
        })
        .collect()
}

/// Value `index` of packed values.
pub(crate) fn get(packed: &[u8], width: u32, index: usize) -> u64 {
    let bit = index * width as usize;
    load(packed, bit >> 3) >> (bit & 7) & mask(width)
}

/// The `width` bits, at most 64, from bit `at`; bits past the end are zero.
pub(crate) fn bits_at(bytes: &[u8], at: usize, width: u32) -> u64 {
    let (byte, shift) = (at / 8, at % 8);
    let low = load(bytes, byte) >> shift;
    let high = match bytes.get(byte + 8) {
        Some(next) if shift > 0 => u64::from(*next) << (64 - shift),
        _ => 0,
    };
    (low | high) & mask(width)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves of a 128-bit number"
)]
fn split(value: u128) -> (u64, u64) {
    (value as u64, (value >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::{checked_width, get, mask, pack, packed_bytes, unpack, width_for};
    use proptest::prelude::{prop_assert_eq, proptest};

    #[test]
    fn widths() {
        let cases = [
            (0, 0),
            (1, 1),
            (255, 8),
            (256, 9),
            ((1 << 56) - 1, 56),
            (1 << 56, 64),
            (u64::MAX, 64),
        ];
        for (max, width) in cases {
            assert_eq!(width_for(max), width, "{max}");
        }
        let allowed = (0..=u8::MAX).filter(|width| checked_width(*width).is_ok());
        assert_eq!(allowed.collect::<Vec<_>>().len(), 58);
    }

    #[test]
    fn golden_bytes() {
        let mut out = Vec::new();
        pack([1, 2, 3, 4, 5].into_iter(), 3, &mut out);
        assert_eq!(out, [0b1101_0001, 0b0101_1000]);
    }

    proptest! {
        #[test]
        fn packed_values_come_back(values: Vec<u64>, width in 0..=57_u32) {
            let width = if width == 57 { 64 } else { width };
            let values: Vec<u64> = values.iter().map(|value| value & mask(width)).collect();
            let mut out = Vec::new();
            pack(values.iter().copied(), width, &mut out);
            prop_assert_eq!(out.len(), packed_bytes(values.len(), width));
            prop_assert_eq!(unpack(&out, width, values.len(), |value| value), values.clone());
            for (i, value) in values.iter().enumerate() {
                prop_assert_eq!(get(&out, width, i), *value);
            }
        }
    }
}
