//! ALP for real doubles: each double cut in two; the left parts, few of which differ, as codes of a
//! dictionary of at most eight, the right parts as they are.
//!
//! Pays on full-precision doubles of similar magnitude: sign, exponent and the first bits of the
//! mantissa take three bits. Worst case: doubles of any magnitude are all exceptions, so the
//! smallest form wins over it.
//! Paper: Afroozeh, Kuffo, Boncz, "ALP: Adaptive Lossless floating-Point Compression" (2023), here
//! with a cut and a dictionary for each vector.
//! Layout: bits of the right part (u8), number of left parts (u8), those (u16), exceptions as in
//! [`super::exceptions`], their left parts (u16), packed codes, packed right parts.

use crate::CodecError;
use crate::bits::{get, index_width, pack, packed_bytes, unpack};
use crate::float::{f64_from_integer, integer_from_f64};
use crate::integers::leaves::block_leaf::BlockLeaf;
use crate::integers::leaves::exceptions::{patch, patch_gathered, put_rows, take_rows};
use crate::reader::ByteReader;
use crate::tags::TAG_ALP_RD;
use crate::writer::{fitting, low16};

/// Bits of the right part; those of the left one fit 16 bits.
const RIGHT_MIN: u32 = 48;
const RIGHT_MAX: u32 = 56;
const DICTIONARY_MAX: usize = 8;
const EXCEPTION_BITS: usize = 16 + 10;
/// Every so-manieth value is looked at.
const SAMPLE_STEP: usize = 4;

pub(crate) static LEAF: BlockLeaf = BlockLeaf {
    tag: TAG_ALP_RD,
    for_doubles: true,
    rows_min: 1,
    decode_cost: 1,
    encode,
    decode,
    gather,
};

/// Appends the integers of doubles.
pub(crate) fn encode(integers: &[i64], out: &mut Vec<u8>) -> Option<()> {
    let bits: Vec<u64> = integers
        .iter()
        .map(|integer| f64_from_integer(*integer).to_bits())
        .collect();
    let (right_bits, dictionary) = cut(&bits);
    let mut exceptions = Vec::new();
    let mut exception_lefts = Vec::new();
    let mut codes = Vec::with_capacity(bits.len());
    for (row, bits) in (0_u16..).zip(&bits) {
        let left = low16(bits >> right_bits);
        let code = dictionary.iter().position(|entry| *entry == left);
        codes.push(code.unwrap_or(0) as u64);
        if code.is_none() {
            exceptions.push(row);
            exception_lefts.push(left);
        }
    }
    out.push(right_bits.to_le_bytes()[0]);
    out.push(fitting(dictionary.len())?);
    for left in &dictionary {
        out.extend_from_slice(&left.to_le_bytes());
    }
    put_rows(&exceptions, integers.len(), out);
    for left in exception_lefts {
        out.extend_from_slice(&left.to_le_bytes());
    }
    pack(codes.into_iter(), index_width(dictionary.len()), out);
    let right_mask = (1 << right_bits) - 1;
    pack(bits.iter().map(|bits| bits & right_mask), right_bits, out);
    Some(())
}

/// The bits of the right part, and the most frequent left parts, that take the least space on a
/// sample.
fn cut(bits: &[u64]) -> (u32, Vec<u16>) {
    let mut sample: Vec<u64> = bits.iter().step_by(SAMPLE_STEP).copied().collect();
    sample.sort_unstable();
    let mut best = (usize::MAX, RIGHT_MIN, Vec::new());
    for right_bits in RIGHT_MIN..=RIGHT_MAX {
        let mut counts: Vec<(usize, u16)> = sample
            .chunk_by(|a, b| a >> right_bits == b >> right_bits)
            .map(|run| {
                let left = run.first().map_or(0, |bits| bits >> right_bits);
                (run.len(), low16(left))
            })
            .collect();
        varve_sort::sort_by(&mut counts, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let exceptions: usize = counts
            .iter()
            .skip(DICTIONARY_MAX)
            .map(|(count, _)| count)
            .sum();
        counts.truncate(DICTIONARY_MAX);
        let width = right_bits + index_width(counts.len());
        let cost = sample.len() * width as usize + exceptions * EXCEPTION_BITS;
        if cost < best.0 {
            let dictionary = counts.into_iter().map(|(_, left)| left).collect();
            best = (cost, right_bits, dictionary);
        }
    }
    (best.1, best.2)
}

/// A vector as stored.
struct Stored<'a> {
    right_bits: u32,
    /// The left parts in their place; codes past the end of the dictionary stand for 0.
    lefts: [u64; DICTIONARY_MAX],
    exceptions: Vec<u16>,
    exception_lefts: &'a [[u8; 2]],
    code_width: u32,
    codes: &'a [u8],
    rights: &'a [u8],
}

impl<'a> Stored<'a> {
    fn take(mut reader: ByteReader<'a>, rows: usize) -> Result<Stored<'a>, CodecError> {
        let right_bits = u32::from(reader.u8()?);
        if !(RIGHT_MIN..=RIGHT_MAX).contains(&right_bits) {
            return Err(CodecError::Malformed("cut"));
        }
        let count = usize::from(reader.u8()?);
        if count > DICTIONARY_MAX {
            return Err(CodecError::Malformed("dictionary size"));
        }
        let mut lefts = [0; DICTIONARY_MAX];
        let entries = reader.take(count * 2)?.as_chunks::<2>().0;
        for (left, entry) in lefts.iter_mut().zip(entries) {
            *left = u64::from(u16::from_le_bytes(*entry)) << right_bits;
        }
        let exceptions = take_rows(&mut reader, rows)?;
        let exception_lefts = reader.take(exceptions.len() * 2)?.as_chunks::<2>().0;
        let code_width = index_width(count);
        let codes = reader.take(packed_bytes(rows, code_width))?;
        let rights = reader.take(packed_bytes(rows, right_bits))?;
        reader.end()?;
        Ok(Stored {
            right_bits,
            lefts,
            exceptions,
            exception_lefts,
            code_width,
            codes,
            rights,
        })
    }

    fn left(&self, code: u64) -> u64 {
        let [a, b, c, d, e, f, g, h] = self.lefts;
        // A table that is indexed by three bits needs no check, but no index may be unchecked here.
        match code & 7 {
            0 => a,
            1 => b,
            2 => c,
            3 => d,
            4 => e,
            5 => f,
            6 => g,
            _ => h,
        }
    }

    /// The integers of the exceptions.
    fn patches(&self) -> Vec<i64> {
        let exceptions = self.exceptions.iter().zip(self.exception_lefts);
        exceptions
            .map(|(row, left)| {
                let left = u64::from(u16::from_le_bytes(*left)) << self.right_bits;
                integer(left | get(self.rights, self.right_bits, usize::from(*row)))
            })
            .collect()
    }
}

fn integer(bits: u64) -> i64 {
    integer_from_f64(f64::from_bits(bits))
}

pub(crate) fn decode(reader: ByteReader<'_>, rows: usize) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(reader, rows)?;
    let lefts = unpack(stored.codes, stored.code_width, rows, |code| {
        stored.left(code)
    });
    let mut integers = varve_kernels::unpack(stored.rights, stored.right_bits, rows, 0);
    for (integer_at, left) in integers.iter_mut().zip(lefts) {
        *integer_at = integer(left | integer_at.cast_unsigned());
    }
    patch(&mut integers, &stored.exceptions, &stored.patches());
    Ok(integers)
}

pub(crate) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(reader, rows)?;
    let at = |position: &u16| {
        let row = usize::from(*position);
        let left = stored.left(get(stored.codes, stored.code_width, row));
        integer(left | get(stored.rights, stored.right_bits, row))
    };
    let mut integers: Vec<i64> = positions.iter().map(at).collect();
    patch_gathered(
        &mut integers,
        positions,
        &stored.exceptions,
        &stored.patches(),
    );
    Ok(integers)
}
