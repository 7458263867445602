//! Bits: booleans, and validity (1 = present).
//!
//! All-equal vectors take one byte, long runs ten bits each where that halves the bytes, others one
//! bit a row and a byte; the worst case is 129 bytes for 1,024 rows. Bit `i` is bit `i % 8` of byte
//! `i / 8`, as in Arrow.
//! Layout of runs: the first bit and how often it changes (varint: changes * 2 + bit), the first
//! row of each further run packed in the width of the last row.

use crate::bits::{get, index_width, pack, packed_bytes, unpack};
use crate::reader::ByteReader;
use crate::tags::{TAG_ALL_ONE, TAG_ALL_ZERO, TAG_BIT_RUNS, TAG_BITS};
use crate::writer::{put_varint, varint_bytes};
use crate::{CodecError, ROWS_MAX};

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
        0 => TAG_ALL_ZERO,
        ones if ones == rows => TAG_ALL_ONE,
        _ => TAG_BITS,
    };
    if tag == TAG_BITS {
        let starts = run_starts(&trimmed, rows);
        let first = get(&trimmed, 1, 0);
        let head = (starts.len() as u64) << 1 | first;
        let width = index_width(rows);
        if (varint_bytes(head) + packed_bytes(starts.len(), width)) * 2 <= trimmed.len() {
            out.push(TAG_BIT_RUNS);
            put_varint(head, out);
            pack(starts.into_iter(), width, out);
            return Ok(TAG_BIT_RUNS);
        }
    }
    out.push(tag);
    if tag == TAG_BITS {
        out.extend_from_slice(&trimmed);
    }
    Ok(tag)
}

/// The rows whose bit differs from the one before.
fn run_starts(bits: &[u8], rows: usize) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut before = bits.first().map_or(0, |byte| byte & 1);
    for (at, byte) in (0_u64..).zip(bits) {
        // A bit is set where it differs from the one below it.
        let mut changes = byte ^ (byte << 1 | before);
        before = byte >> 7;
        while changes != 0 {
            starts.push(at * 8 + u64::from(changes.trailing_zeros()));
            changes &= changes - 1;
        }
    }
    // The bits behind the last row are zero.
    if starts.last() == Some(&(rows as u64)) {
        starts.pop();
    }
    starts
}

/// The runs behind a tag.
fn take_runs(reader: &mut ByteReader<'_>, rows: usize) -> Result<DecodedBits, CodecError> {
    let (mut bit, changes, width) = take_head(reader, rows)?;
    let packed = reader.take(packed_bytes(changes, width))?;
    let starts = unpack(packed, width, changes, |start| {
        usize::try_from(start).unwrap_or(usize::MAX)
    });
    let mut bits = vec![0; rows.div_ceil(8)];
    let mut start = 0;
    for end in starts.into_iter().chain([rows]) {
        if end <= start && rows > 0 || end > rows {
            return Err(CodecError::Malformed("runs of bits"));
        }
        if bit {
            set_bits(&mut bits, start, end);
        }
        bit = !bit;
        start = end;
    }
    Ok(DecodedBits::Plain(bits))
}

/// The first bit of some runs, how many follow the first, and the width of their starts.
fn take_head(reader: &mut ByteReader<'_>, rows: usize) -> Result<(bool, usize, u32), CodecError> {
    let head = reader.count(0, rows * 2 + 1, "number of runs")?;
    Ok((head & 1 == 1, head / 2, index_width(rows)))
}

/// Sets the bits of the rows from `start` to `end`.
fn set_bits(bits: &mut [u8], start: usize, end: usize) {
    for (at, byte) in bits.iter_mut().enumerate().skip(start / 8) {
        let below = |row: usize| row.saturating_sub(at * 8).min(8);
        let mask = |rows: usize| (1_u16 << rows) - 1;
        let set = (mask(below(end)) ^ mask(below(start))).to_le_bytes()[0];
        if set == 0 {
            break;
        }
        *byte |= set;
    }
}

/// The `rows` bits in `bytes`.
pub fn decode_bits(bytes: &[u8], rows: usize) -> Result<DecodedBits, CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    let mut reader = ByteReader::new(bytes);
    let decoded = match reader.u8()? {
        TAG_ALL_ZERO => DecodedBits::Constant(false),
        TAG_ALL_ONE => DecodedBits::Constant(true),
        TAG_BITS => DecodedBits::Plain(trimmed(reader.take(rows.div_ceil(8))?, rows)),
        TAG_BIT_RUNS => take_runs(&mut reader, rows)?,
        tag => return Err(CodecError::UnknownTag(tag)),
    };
    reader.end()?;
    Ok(decoded)
}

/// Cuts encoded bits of `rows` rows off the front of some bytes: they end by themselves.
pub fn split_bits(bytes: &[u8], rows: usize) -> Result<(&[u8], &[u8]), CodecError> {
    let mut reader = ByteReader::new(bytes);
    let length = match reader.u8()? {
        TAG_ALL_ZERO | TAG_ALL_ONE => 1,
        TAG_BITS => 1 + rows.div_ceil(8),
        TAG_BIT_RUNS => {
            let (_, changes, width) = take_head(&mut reader, rows)?;
            bytes.len() - reader.rest().len() + packed_bytes(changes, width)
        }
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
    use super::{DecodedBits, decode_bits, encode_bits, gather_bits, split_bits};
    use crate::testing::mutations;
    use proptest::prelude::{Strategy, prop_assert_eq, prop_oneof, proptest};

    #[test]
    fn golden_bytes() {
        let mut long = [0; 128];
        long[2..100].fill(0xff);
        let cases: [(&[u8], usize, &[u8]); 6] = [
            // Ones from row 16 to row 800.
            (&long, 1024, &[3, 4, 16, 0x80, 0x0c]),
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

    fn bits() -> impl Strategy<Value = Vec<bool>> {
        let runs = proptest::collection::vec(0..400_usize, 0..6).prop_map(|runs| {
            let runs = runs.into_iter().enumerate();
            let bits = runs.flat_map(|(i, rows)| vec![i % 2 == 1; rows]);
            bits.take(1024).collect()
        });
        prop_oneof![
            runs,
            proptest::collection::vec(proptest::bool::ANY, 0..1024)
        ]
    }

    proptest! {
        #[test]
        fn bits_round_trip(bits in bits()) {
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
            let length = out.len();
            out.extend([7; 9]);
            prop_assert_eq!(split_bits(&out, rows).unwrap().0.len(), length);
        }
    }

    #[test]
    fn any_bytes_are_an_answer() {
        let mut runs = [0; 128];
        runs[3..90].fill(0xff);
        runs[120] = 0x3c;
        for bits in [[0x5a; 128], runs] {
            let mut out = Vec::new();
            encode_bits(&bits, 1000, &mut out).unwrap();
            mutations(&out, 2000, |bytes| {
                let _ = decode_bits(bytes, 1000);
                let _ = gather_bits(bytes, 1000, &[0, 999]);
                let _ = split_bits(bytes, 1000);
            });
        }
    }
}
