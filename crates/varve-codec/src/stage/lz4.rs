//! LZ4 blocks: byte-oriented matches within 64 KiB, no entropy stage.
//!
//! Pays on long or repetitive text; not after bit-packing. Worst case: 0.4 % longer than its input,
//! which the caller then keeps instead.
//! Format: lz4_Block_format.md of the LZ4 project, without any length of its own.
//!
//! The compressor is written here because `lz4_flex` hashes other bytes on 32-bit than on 64-bit
//! targets, and a run must have the same bytes on both. It is greedy: a hash of the next four bytes
//! finds one earlier place, a match is extended as far as it goes, and steps grow while nothing
//! matches. Decompression is `lz4_flex`'s, in safe code.

use super::buffer;
use crate::CodecError;

const MATCH_MIN: usize = 4;
/// The format wants the last match to begin at least twelve bytes before the end, and five literals
/// after it.
const MATCH_START_MARGIN: usize = 12;
const LAST_LITERALS: usize = 5;
const TABLE_BITS: u32 = 12;
/// Doubles the step after this many misses.
const SKIP_SHIFT: usize = 6;

/// The block of `raw`. Equal input gives equal bytes on every target.
pub fn compress_lz4(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() / 2);
    let mut table = vec![0_u32; 1 << TABLE_BITS];
    let match_start_end = raw.len().saturating_sub(MATCH_START_MARGIN);
    let match_end = raw.len().saturating_sub(LAST_LITERALS);
    let mut literals_from = 0;
    let mut at = 0;
    let mut misses = 0;
    while at < match_start_end {
        let here = load4(raw, at);
        let candidate = swap_entry(&mut table, here, at);
        let offset = at.checked_sub(candidate).map(u16::try_from);
        let offset = offset.and_then(Result::ok);
        let offset = offset.filter(|offset| *offset > 0 && load4(raw, candidate) == here);
        let Some(offset) = offset else {
            at += 1 + (misses >> SKIP_SHIFT);
            misses += 1;
            continue;
        };
        misses = 0;
        let length =
            MATCH_MIN + common_prefix(raw, candidate + MATCH_MIN, at + MATCH_MIN, match_end);
        put_sequence(raw, literals_from..at, offset, length, &mut out);
        at += length;
        literals_from = at;
    }
    put_last_literals(raw.get(literals_from..).unwrap_or_default(), &mut out);
    out
}

/// Undoes [`compress_lz4`]. `raw_bytes` is what the caller's own header says; a block that gives
/// more or less is refused, as is a length above `bytes_max`.
pub fn decompress_lz4(
    block: &[u8],
    raw_bytes: usize,
    bytes_max: usize,
) -> Result<Vec<u8>, CodecError> {
    let mut raw = buffer(raw_bytes, bytes_max)?;
    match lz4_flex::block::decompress_into(block, &mut raw) {
        Ok(written) if written == raw_bytes => Ok(raw),
        _ => Err(CodecError::Malformed("LZ4 block")),
    }
}

/// The place last seen for these four bytes, replaced by `at`.
fn swap_entry(table: &mut [u32], four: u32, at: usize) -> usize {
    let slot = four.wrapping_mul(2_654_435_761) >> (32 - TABLE_BITS);
    match (table.get_mut(slot as usize), u32::try_from(at)) {
        (Some(entry), Ok(at)) => core::mem::replace(entry, at) as usize,
        _ => usize::MAX,
    }
}

fn load4(bytes: &[u8], at: usize) -> u32 {
    let chunk = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    chunk.map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// How many bytes from `a` and from `b` on are equal, with `b` staying below `end`.
fn common_prefix(bytes: &[u8], a: usize, b: usize, end: usize) -> usize {
    let (Some(a), Some(b)) = (bytes.get(a..), bytes.get(b..end)) else {
        return 0;
    };
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn put_sequence(
    raw: &[u8],
    literals: core::ops::Range<usize>,
    offset: u16,
    match_length: usize,
    out: &mut Vec<u8>,
) {
    let literals = raw.get(literals).unwrap_or_default();
    let extra = match_length - MATCH_MIN;
    out.push(nibble(literals.len()) << 4 | nibble(extra));
    put_length(literals.len(), out);
    out.extend_from_slice(literals);
    out.extend_from_slice(&offset.to_le_bytes());
    put_length(extra, out);
}

fn put_last_literals(literals: &[u8], out: &mut Vec<u8>) {
    out.push(nibble(literals.len()) << 4);
    put_length(literals.len(), out);
    out.extend_from_slice(literals);
}

fn nibble(length: usize) -> u8 {
    u8::try_from(length).map_or(15, |length| length.min(15))
}

/// What a nibble of 15 leaves of a length, in bytes of 255 and one below.
fn put_length(length: usize, out: &mut Vec<u8>) {
    let Some(mut rest) = length.checked_sub(15) else {
        return;
    };
    while rest >= 255 {
        out.push(255);
        rest -= 255;
    }
    out.extend(u8::try_from(rest));
}

#[cfg(test)]
mod tests {
    use super::{compress_lz4, decompress_lz4};
    use crate::CodecError;
    use proptest::prelude::{prop_assert_eq, proptest};

    #[test]
    fn golden_bytes() {
        let block = compress_lz4(b"varve varve varve varve");
        let expected: &[u8] = b"\x68varve \x06\x00\x50varve";
        assert_eq!(block, expected);
        assert_eq!(compress_lz4(b""), [0]);
    }

    #[test]
    fn declared_lengths_are_held_to() {
        let block = compress_lz4(&[7; 300]);
        assert!(block.len() < 20);
        for wrong in [0, 299, 301] {
            assert!(decompress_lz4(&block, wrong, 1000).is_err(), "{wrong}");
        }
        let too_large = CodecError::TooLarge {
            bytes: 300,
            bytes_max: 299,
        };
        assert_eq!(decompress_lz4(&block, 300, 299), Err(too_large));
    }

    #[test]
    fn text_shrinks_about_as_much_as_the_crate_shrinks_it() {
        let text: String = (0..5000)
            .map(|i| format!("/flights/{}/{}?x={i};", i % 7, i * 37))
            .collect();
        let ours = compress_lz4(text.as_bytes()).len();
        let theirs = lz4_flex::block::compress(text.as_bytes()).len();
        assert!(ours * 100 < theirs * 105, "{ours} against {theirs}");
    }

    proptest! {
        #[test]
        fn blocks_round_trip(numbers in proptest::collection::vec(0..40_u16, 0..3000), wide: bool) {
            let raw: Vec<u8> = numbers.iter().flat_map(|number| if wide {
                vec![b'a' + (*number as u8)]
            } else {
                number.wrapping_mul(7919).to_le_bytes().to_vec()
            }).collect();
            let block = compress_lz4(&raw);
            prop_assert_eq!(decompress_lz4(&block, raw.len(), raw.len()), Ok(raw));
        }

        #[test]
        fn any_block_is_an_answer(block: Vec<u8>, raw_bytes in 0..5000_usize) {
            let _ = decompress_lz4(&block, raw_bytes, 4000);
        }
    }
}
