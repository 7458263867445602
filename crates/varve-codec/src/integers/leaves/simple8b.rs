//! Simple-8b with a run-length selector: small numbers in codewords of 64 bits, as many in each as
//! its width allows.
//!
//! Pays on numbers whose width changes from stretch to stretch, and on long runs. Worst case: nine
//! bytes a number.
//! Paper: Anh and Moffat, "Index compression using 64-bit words" (2010); the selectors stand apart,
//! so that a codeword holds 64 bits of numbers and can be found from either end.
//! Layout: number of codewords (varint), their selectors (4 bits each), the codewords (u64).
//! Selector 0 to 13 is one of the packings below, 15 a run: its value in the low 36 bits, how often
//! in the high 28. Only the last codeword may be partly filled.

use crate::CodecError;
use crate::bits::{get, pack, packed_bytes};
use crate::reader::ByteReader;
use crate::writer::put_varint;

/// Numbers in a codeword and their width.
const PACKINGS: [(usize, u32); 14] = [
    (64, 1),
    (32, 2),
    (21, 3),
    (16, 4),
    (12, 5),
    (10, 6),
    (9, 7),
    (8, 8),
    (6, 10),
    (5, 12),
    (4, 16),
    (3, 21),
    (2, 32),
    (1, 64),
];
const RUN: u64 = 15;
const RUN_VALUE_BITS: u32 = 36;

/// Appends the numbers, less than 2^28 of them.
pub(crate) fn encode(numbers: &[u64], out: &mut Vec<u8>) {
    let (mut selectors, mut codewords) = (Vec::new(), Vec::new());
    let mut rest = numbers;
    while let Some(first) = rest.first() {
        let run = rest.iter().take_while(|number| *number == first).count();
        let fits = |(count, width): &(usize, u32)| {
            let mut front = rest.iter().take(*count);
            front.all(|number| number.checked_shr(*width).unwrap_or(0) == 0)
        };
        let packing = (0_u64..).zip(PACKINGS).find(|(_, packing)| fits(packing));
        let (selector, (count, width)) = packing.unwrap_or((13, (1, 64)));
        let taken = if run > count && first >> RUN_VALUE_BITS == 0 {
            selectors.push(RUN);
            codewords.push((run as u64) << RUN_VALUE_BITS | first);
            run
        } else {
            let front = rest.iter().take(count).rev();
            let codeword = front.fold(0_u64, |codeword, number| {
                codeword.checked_shl(width).unwrap_or(0) | number
            });
            selectors.push(selector);
            codewords.push(codeword);
            count
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    put_varint(codewords.len() as u64, out);
    pack(selectors.into_iter(), 4, out);
    for codeword in codewords {
        out.extend_from_slice(&codeword.to_le_bytes());
    }
}

/// Encoded numbers.
pub(crate) struct Stored<'a> {
    selectors: &'a [u8],
    codewords: &'a [[u8; 8]],
}

/// The numbers of one codeword.
enum Group {
    Packed {
        codeword: u64,
        count: usize,
        width: u32,
    },
    Run {
        value: u64,
        count: usize,
    },
}

impl<'a> Stored<'a> {
    /// What [`encode`] wrote for `count` numbers, to the end of the bytes.
    pub(crate) fn take(mut reader: ByteReader<'a>, count: usize) -> Result<Stored<'a>, CodecError> {
        let codewords = reader.count(0, count, "number of codewords")?;
        let stored = Stored {
            selectors: reader.take(packed_bytes(codewords, 4))?,
            codewords: reader.take(codewords * 8)?.as_chunks::<8>().0,
        };
        reader.end()?;
        Ok(stored)
    }

    fn group(&self, at: usize) -> Result<Group, CodecError> {
        let codeword = self.codewords.get(at).ok_or(MISSING)?;
        let codeword = u64::from_le_bytes(*codeword);
        let selector = get(self.selectors, 4, at);
        if selector == RUN {
            return Ok(Group::Run {
                value: codeword & ((1 << RUN_VALUE_BITS) - 1),
                count: usize::try_from(codeword >> RUN_VALUE_BITS).map_err(|_| MISSING)?,
            });
        }
        let packing = usize::try_from(selector)
            .ok()
            .and_then(|at| PACKINGS.get(at));
        let (count, width) = packing.ok_or(CodecError::Malformed("selector"))?;
        Ok(Group::Packed {
            codeword,
            count: *count,
            width: *width,
        })
    }

    /// The first `count` numbers.
    pub(crate) fn front(&self, count: usize) -> Result<Vec<u64>, CodecError> {
        let mut numbers = Vec::with_capacity(count);
        for at in 0..self.codewords.len() {
            let room = count - numbers.len();
            if room == 0 {
                break;
            }
            match self.group(at)? {
                Group::Run { value, count } => {
                    numbers.resize(numbers.len() + count.min(room), value);
                }
                Group::Packed {
                    codeword,
                    count,
                    width,
                } => {
                    let shift = |i: usize| unpacked(codeword, i, width);
                    numbers.extend((0..count.min(room)).map(shift));
                }
            }
        }
        if numbers.len() < count {
            return Err(MISSING);
        }
        Ok(numbers)
    }

    /// The last `count` of `total` numbers, from the last back. Codewords before those are not
    /// looked into, but for the lengths of runs.
    pub(crate) fn back(&self, total: usize, count: usize) -> Result<Vec<u64>, CodecError> {
        let last = self.codewords.len().saturating_sub(1);
        let mut before_last = 0_usize;
        for at in 0..last {
            let (Group::Run { count, .. } | Group::Packed { count, .. }) = self.group(at)?;
            before_last = before_last.saturating_add(count);
        }
        let mut filled = total.checked_sub(before_last).ok_or(MISSING)?;
        let mut numbers = Vec::with_capacity(count);
        for at in (0..self.codewords.len()).rev() {
            let room = count - numbers.len();
            if room == 0 {
                break;
            }
            match self.group(at)? {
                Group::Run { value, count } => {
                    let count = count.min(filled);
                    numbers.resize(numbers.len() + count.min(room), value);
                }
                Group::Packed {
                    codeword,
                    count,
                    width,
                } => {
                    let count = count.min(filled);
                    let shift = |i: usize| unpacked(codeword, i, width);
                    numbers.extend((0..count).rev().take(room).map(shift));
                }
            }
            filled = total;
        }
        if numbers.len() < count {
            return Err(MISSING);
        }
        Ok(numbers)
    }
}

const MISSING: CodecError = CodecError::Malformed("number of numbers");

fn unpacked(codeword: u64, i: usize, width: u32) -> u64 {
    let mask = u64::MAX >> (64 - width);
    (codeword >> (i * width as usize)) & mask
}

#[cfg(test)]
mod tests {
    use super::{Stored, encode};
    use crate::reader::ByteReader;
    use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};

    #[test]
    fn golden_bytes() {
        let numbers = [[7_u64; 40].as_slice(), &[1, 2, 3], &[u64::MAX]].concat();
        let mut out = Vec::new();
        encode(&numbers, &mut out);
        // Forty sevens as a run, three numbers of 21 bits, one of 64.
        let codewords = [
            [7, 0, 0, 0, 0x80, 2, 0, 0],
            [1, 0, 0x40, 0, 0, 0x0c, 0, 0],
            [0xff; 8],
        ];
        assert_eq!(out[..3], [3, 0xbf, 0x0d]);
        assert_eq!(out[3..], codewords.concat());
    }

    fn numbers() -> impl Strategy<Value = Vec<u64>> {
        let number = prop_oneof![
            any::<u64>(),
            0..4_u64,
            any::<u16>().prop_map(u64::from),
            (0..64_u32).prop_map(|shift| u64::MAX >> shift),
        ];
        proptest::collection::vec((number, 1..70_usize), 0..40).prop_map(|runs| {
            let runs = runs.into_iter();
            runs.flat_map(|(number, count)| vec![number; count])
                .collect()
        })
    }

    proptest! {
        #[test]
        fn forward_and_backward_agree(numbers in numbers(), part in 0..=100_usize) {
            let mut out = Vec::new();
            encode(&numbers, &mut out);
            let stored = Stored::take(ByteReader::new(&out), numbers.len()).unwrap();
            let some = numbers.len() * part / 100;
            prop_assert_eq!(stored.front(some).unwrap(), &numbers[..some]);
            let mut back = stored.back(numbers.len(), some).unwrap();
            back.reverse();
            prop_assert_eq!(back, &numbers[numbers.len() - some..]);
        }
    }
}
