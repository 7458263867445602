//! A split-block Bloom filter over key bytes: one cache line a lookup, about ten bits a key, 1.3 %
//! false positives.
//!
//! Papers: Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (2007); the
//! salts and the layout are those of Parquet's filter.
//! Layout: blocks of 32 bytes, each eight little-endian lanes of 32 bits.

use varve_codec::CodecError;
use varve_types::{Broken, Invariant};
use xxhash_rust::xxh3::xxh3_64;

const BLOCK_BYTES: usize = 32;
const BITS_PER_KEY: usize = 10;
const SALTS: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// The hash that filters hold of a key.
pub fn key_hash(key: &[u8]) -> u64 {
    xxh3_64(key)
}

/// The filter of the keys with these hashes.
pub(crate) fn build(hashes: &[u64]) -> Result<Vec<u8>, Broken> {
    let blocks = (hashes.len() * BITS_PER_KEY)
        .div_ceil(BLOCK_BYTES * 8)
        .max(1);
    let mut bytes = vec![0; blocks * BLOCK_BYTES];
    let (all, _) = bytes.as_chunks_mut::<BLOCK_BYTES>();
    for hash in hashes {
        let at = block_index(*hash, blocks);
        let block = at.and_then(|at| all.get_mut(at));
        let block = block.or_broken("block of a filter")?;
        let (lanes, _) = block.as_chunks_mut::<4>();
        for (lane, mask) in lanes.iter_mut().zip(masks(*hash)) {
            *lane = (u32::from_le_bytes(*lane) | mask).to_le_bytes();
        }
    }
    Ok(bytes)
}

/// The filter of one group.
#[derive(Clone, Copy, Debug)]
pub struct KeyFilter<'a>(&'a [[u8; BLOCK_BYTES]]);

impl<'a> KeyFilter<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Result<KeyFilter<'a>, CodecError> {
        match bytes.as_chunks::<BLOCK_BYTES>() {
            (blocks, []) if !blocks.is_empty() => Ok(KeyFilter(blocks)),
            _ => Err(CodecError::Malformed("filter")),
        }
    }

    /// Whether a key with this [`key_hash`] may be in the group; false is certain.
    pub fn may_contain(self, hash: u64) -> bool {
        let at = block_index(hash, self.0.len());
        let Some(block) = at.and_then(|at| self.0.get(at)) else {
            return true;
        };
        let (lanes, _) = block.as_chunks::<4>();
        lanes
            .iter()
            .zip(masks(hash))
            .all(|(lane, mask)| u32::from_le_bytes(*lane) & mask != 0)
    }
}

fn block_index(hash: u64, blocks: usize) -> Option<usize> {
    let index = ((hash >> 32) * blocks as u64) >> 32;
    usize::try_from(index).ok()
}

/// One bit in each of the eight lanes of a block.
fn masks(hash: u64) -> [u32; 8] {
    let [b0, b1, b2, b3, ..] = hash.to_le_bytes();
    let low = u32::from_le_bytes([b0, b1, b2, b3]);
    SALTS.map(|salt| 1 << (low.wrapping_mul(salt) >> 27))
}

#[cfg(test)]
mod tests {
    use super::{KeyFilter, build, key_hash};

    #[test]
    fn finds_every_key_and_few_others() {
        let hash = |i: u32| key_hash(&i.to_be_bytes());
        for count in [1_u32, 100, 20_000] {
            let hashes: Vec<u64> = (0..count).map(hash).collect();
            let bytes = build(&hashes).unwrap();
            let filter = KeyFilter::new(&bytes).unwrap();
            assert!(hashes.iter().all(|hash| filter.may_contain(*hash)));
            let wrong = (1 << 30..(1 << 30) + 20_000).filter(|i| filter.may_contain(hash(*i)));
            assert!(wrong.count() < 400, "{count}");
        }
    }

    #[test]
    fn golden_bytes() {
        let bytes = build(&[key_hash(b"varve")]).unwrap();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            hex,
            "0400000000020000000000800000002000000040040000000000001010000000"
        );
        for bad in [&[][..], &[0; 31]] {
            assert!(KeyFilter::new(bad).is_err());
        }
    }
}
