//! One hash with a fixed seed, so that every build numbers and probes alike.

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FOLD: u64 = 0xff51_afd7_ed55_8ccd;
const FINISH: u64 = 0xc4ce_b9fe_1a85_ec53;

pub(super) fn hash_bytes(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut hash = SEED ^ (bytes.len() as u64);
    for chunk in chunks {
        hash = mix(hash, u64::from_le_bytes(*chunk));
    }
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    finish(mix(hash, u64::from_le_bytes(last)))
}

pub(super) fn hash_int(number: i64) -> u64 {
    finish(mix(SEED, number.cast_unsigned()))
}

fn mix(hash: u64, chunk: u64) -> u64 {
    let mixed = (hash ^ chunk).wrapping_mul(FOLD);
    mixed ^ (mixed >> 32)
}

/// The last steps of MurmurHash3: every bit of the input reaches the high bits, which tell keys
/// apart.
fn finish(hash: u64) -> u64 {
    let mixed = hash.wrapping_mul(FINISH);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{hash_bytes, hash_int};

    #[test]
    fn near_keys_have_distant_tags() {
        let ints: BTreeSet<u64> = (0..100_000).map(|i| hash_int(i) >> 32).collect();
        assert!(ints.len() > 99_900, "{}", ints.len());
        let bytes = (0..100_000_u32).map(|i| hash_bytes(i.to_string().as_bytes()) >> 32);
        let bytes: BTreeSet<u64> = bytes.collect();
        assert!(bytes.len() > 99_900, "{}", bytes.len());
    }
}
