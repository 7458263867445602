//! Selections: one bit a row, all bits of a vector often being equal.

use crate::{CodecError, DecodedBits, ROWS_MAX, decode_bits};

/// The rows whose bit is `wanted`: a test of booleans, and over validity a test for NULL.
pub fn filter_bits(bytes: &[u8], rows: usize, wanted: bool) -> Result<DecodedBits, CodecError> {
    let bits = decode_bits(bytes, rows)?;
    Ok(if wanted { bits } else { inverted(bits, rows) })
}

/// Lays bits, one for each row that is present, on all `rows` rows; those not present get none.
/// Where present rows outnumber the bits the rest get none.
pub fn spread_bits(bits: &DecodedBits, present: &DecodedBits, rows: usize) -> DecodedBits {
    let present = match (bits, present) {
        (DecodedBits::Constant(false), _) | (_, DecodedBits::Constant(false)) => {
            return DecodedBits::Constant(false);
        }
        (DecodedBits::Constant(true), present) => return present.clone(),
        (bits, DecodedBits::Constant(true)) => return bits.clone(),
        (_, DecodedBits::Plain(present)) => present,
    };
    let mut source = 0;
    let mut out = Vec::with_capacity(present.len());
    for (byte, first) in present.iter().zip((0..rows).step_by(8)) {
        let mut spread = 0;
        for bit in 0..8.min(rows - first) {
            if byte >> bit & 1 == 1 {
                spread |= u8::from(bits.get(source)) << bit;
                source += 1;
            }
        }
        out.push(spread);
    }
    DecodedBits::Plain(out)
}

impl DecodedBits {
    /// Bit `row`; false past the end of plain bits.
    pub fn get(&self, row: usize) -> bool {
        match self {
            DecodedBits::Constant(bit) => *bit,
            DecodedBits::Plain(bits) => bit(bits, row),
        }
    }

    /// How many of the `rows` bits are one.
    pub fn count_ones(&self, rows: usize) -> usize {
        match self {
            DecodedBits::Constant(bit) => rows * usize::from(*bit),
            DecodedBits::Plain(bits) => bits.iter().map(|byte| byte.count_ones() as usize).sum(),
        }
    }

    /// The bits that are one in both.
    #[must_use]
    pub fn and(self, other: DecodedBits) -> DecodedBits {
        match (self, other) {
            (DecodedBits::Constant(true), bits) | (bits, DecodedBits::Constant(true)) => bits,
            (DecodedBits::Constant(false), _) | (_, DecodedBits::Constant(false)) => {
                DecodedBits::Constant(false)
            }
            (DecodedBits::Plain(mut bits), DecodedBits::Plain(other)) => {
                bits.truncate(other.len());
                for (byte, other) in bits.iter_mut().zip(other) {
                    *byte &= other;
                }
                DecodedBits::Plain(bits)
            }
        }
    }
}

/// The bits of a test of each value.
pub(super) fn test_all<T: Copy>(values: &[T], test: impl Fn(T) -> bool) -> DecodedBits {
    let byte = |values: &[T]| {
        let bits = values.iter().zip(0..8);
        bits.fold(0, |byte, (value, bit)| byte | u8::from(test(*value)) << bit)
    };
    DecodedBits::Plain(values.chunks(8).map(byte).collect())
}

/// The bits of a test of each of `rows` rows.
pub(super) fn test_rows(rows: usize, test: impl Fn(usize) -> bool) -> DecodedBits {
    let byte = |first: usize| {
        let bits = (first..rows).zip(0..8);
        bits.fold(0, |byte, (row, bit)| byte | u8::from(test(row)) << bit)
    };
    DecodedBits::Plain((0..rows).step_by(8).map(byte).collect())
}

/// The bits of rows, given one bit for each run of them.
pub(super) fn expand_runs(bits: DecodedBits, ends: &[u32], rows: usize) -> DecodedBits {
    let DecodedBits::Plain(runs) = bits else {
        return bits;
    };
    let mut out = vec![0; rows.div_ceil(8)];
    let mut start = 0;
    for (run, end) in ends.iter().enumerate() {
        let end = (*end as usize).min(rows);
        if bit(&runs, run) {
            set_bits(&mut out, start, end);
        }
        start = end;
    }
    DecodedBits::Plain(out)
}

pub(super) fn set_bit(bits: &mut [u8], row: usize, bit: bool) {
    if let Some(byte) = bits.get_mut(row / 8) {
        *byte &= !(1 << (row % 8));
        *byte |= u8::from(bit) << (row % 8);
    }
}

/// Sets the bits from `start` to `end`.
fn set_bits(bits: &mut [u8], start: usize, end: usize) {
    let whole = start.div_ceil(8)..end / 8;
    if let Some(whole) = bits.get_mut(whole.clone()) {
        whole.fill(0xff);
    }
    let in_part = |(byte, _): &(usize, u8)| !whole.contains(byte);
    let (first, last) = (start / 8, end / 8);
    let parts = masks(start, end.min(first * 8 + 8)).chain(masks(start.max(last * 8), end));
    for (byte, mask) in parts.filter(in_part) {
        if let Some(byte) = bits.get_mut(byte) {
            *byte |= mask;
        }
    }
}

/// Bits one by one in a buffer of their own.
pub(super) fn plain(bits: DecodedBits, rows: usize) -> Vec<u8> {
    match bits {
        DecodedBits::Plain(bits) => bits,
        DecodedBits::Constant(bit) => {
            let mut bytes = vec![if bit { 0xff } else { 0 }; rows.div_ceil(8)];
            clear_padding(&mut bytes, rows);
            bytes
        }
    }
}

pub(super) fn inverted(bits: DecodedBits, rows: usize) -> DecodedBits {
    match bits {
        DecodedBits::Constant(bit) => DecodedBits::Constant(!bit),
        DecodedBits::Plain(mut bits) => {
            for byte in &mut bits {
                *byte = !*byte;
            }
            clear_padding(&mut bits, rows);
            DecodedBits::Plain(bits)
        }
    }
}

/// Clears the bits of the last byte that belong to no row.
pub(super) fn clear_padding(bits: &mut [u8], rows: usize) {
    if !rows.is_multiple_of(8)
        && let Some(last) = bits.get_mut(rows / 8)
    {
        *last &= (1 << (rows % 8)) - 1;
    }
}

/// Refuses what is longer than a vector.
pub(super) fn check_rows(rows: usize) -> Result<(), CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    Ok(())
}

fn bit(bits: &[u8], row: usize) -> bool {
    bits.get(row / 8)
        .is_some_and(|byte| byte >> (row % 8) & 1 == 1)
}

/// The bytes that hold the bits from `start` to `end`, and which of their bits these are.
fn masks(start: usize, end: usize) -> impl Iterator<Item = (usize, u8)> {
    (start / 8..end.div_ceil(8)).filter_map(move |byte| {
        let from = start.saturating_sub(byte * 8);
        let to = (end - byte * 8).min(8);
        let mask = (0xff_u8 << from) & u8::try_from((1_u16 << to) - 1).unwrap_or(0);
        (start < end).then_some((byte, mask))
    })
}

#[cfg(test)]
mod tests {
    use super::{expand_runs, filter_bits, spread_bits};
    use crate::{DecodedBits, encode_bits};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn pack(bits: &[bool]) -> Vec<u8> {
        let mut packed = vec![0; bits.len().div_ceil(8)];
        for (i, bit) in bits.iter().enumerate() {
            packed[i / 8] |= u8::from(*bit) << (i % 8);
        }
        packed
    }

    proptest! {
        #[test]
        fn bits_are_spread_and_tested(
            present in proptest::collection::vec(any::<bool>(), 0..200),
            passing in proptest::collection::vec(any::<bool>(), 200),
        ) {
            let rows = present.len();
            let bits = pack(&present);
            let mut bytes = Vec::new();
            encode_bits(&bits, rows, &mut bytes).unwrap();
            for wanted in [true, false] {
                let tested = filter_bits(&bytes, rows, wanted).unwrap();
                for (row, bit) in present.iter().enumerate() {
                    prop_assert_eq!(tested.get(row), *bit == wanted);
                }
                let ones = present.iter().filter(|bit| **bit == wanted).count();
                prop_assert_eq!(tested.count_ones(rows), ones);
            }

            let expected: Vec<usize> = (0..rows).filter(|row| present[*row]).collect();

            let passing = DecodedBits::Plain(pack(&passing[..expected.len()]));
            let spread = spread_bits(&passing, &DecodedBits::Plain(bits), rows);
            for row in 0..rows {
                let source = expected.iter().position(|at| *at == row);
                let bit = source.is_some_and(|source| passing.get(source));
                prop_assert_eq!(spread.get(row), bit);
            }
            prop_assert_eq!(
                spread.count_ones(rows),
                passing.count_ones(expected.len())
            );
        }

        #[test]
        fn runs_expand(runs in proptest::collection::vec((1..20_u32, any::<bool>()), 1..50)) {
            let mut ends = Vec::new();
            let mut rows = Vec::new();
            for (length, bit) in &runs {
                rows.resize(rows.len() + *length as usize, *bit);
                ends.push(rows.len() as u32);
            }
            let bits: Vec<bool> = runs.iter().map(|run| run.1).collect();
            let expanded = expand_runs(DecodedBits::Plain(pack(&bits)), &ends, rows.len());
            prop_assert_eq!(expanded, DecodedBits::Plain(pack(&rows)));
        }
    }
}
