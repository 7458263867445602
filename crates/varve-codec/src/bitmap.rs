//! Bits: booleans, and validity (1 = present).
//!
//! All-equal vectors take one byte, others one bit a row and a byte; the worst case is 129 bytes
//! for 1,024 rows. Bit `i` is bit `i % 8` of byte `i / 8`, as in Arrow.

use crate::reader::ByteReader;
use crate::{CodecError, ROWS_MAX, TAG_CONSTANT, TAG_DICTIONARY, TAG_PLAIN};

const ALL_ZERO: u8 = TAG_CONSTANT;
const ALL_ONE: u8 = TAG_DICTIONARY;

/// A decoded row of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodedBits {
    /// Every bit is this one.
    Constant(bool),
    /// One bit a row; bits past the end are zero.
    Plain(Vec<u8>),
}

/// Appends `rows` bits; bytes past them are not looked at, missing ones are zero. Returns the tag
/// written.
pub fn encode_bits(bits: &[u8], rows: usize, out: &mut Vec<u8>) -> Result<u8, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let trimmed = trimmed(bits, rows);
    let ones: u32 = trimmed.iter().map(|byte| byte.count_ones()).sum();
    let tag = match ones as usize {
        0 => ALL_ZERO,
        ones if ones == rows => ALL_ONE,
        _ => TAG_PLAIN,
    };
    out.push(tag);
    if tag == TAG_PLAIN {
        out.extend_from_slice(&trimmed);
    }
    Ok(tag)
}

/// The `rows` bits in `bytes`.
pub fn decode_bits(bytes: &[u8], rows: usize) -> Result<DecodedBits, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let mut reader = ByteReader::new(bytes);
    let decoded = match reader.u8()? {
        ALL_ZERO => DecodedBits::Constant(false),
        ALL_ONE => DecodedBits::Constant(true),
        TAG_PLAIN => DecodedBits::Plain(trimmed(reader.take(rows.div_ceil(8))?, rows)),
        tag => return Err(CodecError::UnknownTag(tag)),
    };
    reader.end()?;
    Ok(decoded)
}

/// Cuts encoded bits of `rows` rows off the front of some bytes: they end by themselves.
pub fn split_bits(bytes: &[u8], rows: usize) -> Result<(&[u8], &[u8]), CodecError> {
    let length = match ByteReader::new(bytes).u8()? {
        ALL_ZERO | ALL_ONE => 1,
        TAG_PLAIN => 1 + rows.div_ceil(8),
        tag => return Err(CodecError::UnknownTag(tag)),
    };
    bytes
        .split_at_checked(length)
        .ok_or(CodecError::UnexpectedEnd)
}

/// The bits at `positions`, in that order.
pub fn gather_bits(bytes: &[u8], rows: usize, positions: &[u16]) -> Result<Vec<bool>, CodecError> {
    let decoded = decode_bits(bytes, rows)?;
    positions
        .iter()
        .map(|position| {
            let position = usize::from(*position);
            if position >= rows {
                return Err(CodecError::PositionOutOfRange { position, rows });
            }
            Ok(match &decoded {
                DecodedBits::Constant(bit) => *bit,
                DecodedBits::Plain(bits) => bits
                    .get(position / 8)
                    .is_some_and(|byte| byte >> (position % 8) & 1 == 1),
            })
        })
        .collect()
}

fn trimmed(bits: &[u8], rows: usize) -> Vec<u8> {
    let mut trimmed: Vec<u8> = bits.iter().copied().take(rows.div_ceil(8)).collect();
    trimmed.resize(rows.div_ceil(8), 0);
    if !rows.is_multiple_of(8)
        && let Some(last) = trimmed.last_mut()
    {
        *last &= (1 << (rows % 8)) - 1;
    }
    trimmed
}

#[cfg(test)]
mod tests {
    use super::{DecodedBits, decode_bits, encode_bits, gather_bits};
    use crate::testing::mutations;
    use proptest::prelude::{prop_assert_eq, proptest};

    #[test]
    fn golden_bytes() {
        let cases: [(&[u8], usize, &[u8]); 5] = [
            (&[], 0, &[1]),
            (&[0xff, 0xff], 9, &[2]),
            (&[0, 0xf0], 12, &[1]),
            (&[0b101], 3, &[0, 0b101]),
            (&[0b1101], 3, &[0, 0b101]),
        ];
        for (bits, rows, bytes) in cases {
            let mut out = Vec::new();
            encode_bits(bits, rows, &mut out).unwrap();
            assert_eq!(out, bytes, "{bits:?} {rows}");
        }
        assert!(encode_bits(&[], 1025, &mut Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn bits_round_trip(bits in proptest::collection::vec(proptest::bool::ANY, 0..1024)) {
            let rows = bits.len();
            let mut packed = vec![0; rows.div_ceil(8)];
            for (i, bit) in bits.iter().enumerate() {
                packed[i / 8] |= u8::from(*bit) << (i % 8);
            }
            let mut out = Vec::new();
            encode_bits(&packed, rows, &mut out).unwrap();
            match decode_bits(&out, rows).unwrap() {
                DecodedBits::Constant(bit) => prop_assert_eq!(&bits, &vec![bit; rows]),
                DecodedBits::Plain(back) => prop_assert_eq!(&back, &packed),
            }
            let positions: Vec<u16> = (0..rows as u16).rev().collect();
            let back: Vec<bool> = bits.iter().rev().copied().collect();
            prop_assert_eq!(gather_bits(&out, rows, &positions).unwrap(), back);
        }
    }

    #[test]
    fn any_bytes_are_an_answer() {
        let mut out = Vec::new();
        encode_bits(&[0x5a; 128], 1000, &mut out).unwrap();
        mutations(&out, 2000, |bytes| {
            let _ = decode_bits(bytes, 1000);
            let _ = gather_bits(bytes, 1000, &[0, 999]);
        });
    }
}
