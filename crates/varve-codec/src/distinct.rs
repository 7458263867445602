//! Numbers the distinct values of a vector by their first row, with a hash table that never shows
//! in the result.

use crate::ROWS_MAX;
use crate::writer::low32;

const SLOTS: usize = ROWS_MAX * 2;
const EMPTY: u16 = u16::MAX;

/// The distinct values of a vector.
pub(crate) struct Distinct {
    /// The first row of each distinct value.
    pub(crate) firsts: Vec<usize>,
    /// For each row, which of `firsts` holds its value.
    pub(crate) ids: Vec<u16>,
}

impl Distinct {
    /// Numbers the values of `rows` rows, or `None` when there are more than `limit`.
    pub(crate) fn find(
        rows: usize,
        limit: usize,
        hash: impl Fn(usize) -> u64,
        equal: impl Fn(usize, usize) -> bool,
    ) -> Option<Distinct> {
        let mut slots = [EMPTY; SLOTS];
        let mut firsts: Vec<usize> = Vec::new();
        let mut ids = Vec::with_capacity(rows);
        for row in 0..rows.min(ROWS_MAX) {
            let mut at = slot_of(hash(row));
            let id = loop {
                let slot = slots.get_mut(at % SLOTS)?;
                if *slot == EMPTY {
                    if firsts.len() == limit {
                        return None;
                    }
                    *slot = u16::try_from(firsts.len()).ok()?;
                    firsts.push(row);
                    break *slot;
                }
                if equal(*firsts.get(usize::from(*slot))?, row) {
                    break *slot;
                }
                at += 1;
            };
            ids.push(id);
        }
        Some(Distinct { firsts, ids })
    }

    /// Orders the distinct values by `compare` on their rows: the rows in that order, and the rank
    /// of each id.
    pub(crate) fn sorted(
        &self,
        compare: impl Fn(usize, usize) -> core::cmp::Ordering,
    ) -> (Vec<usize>, Vec<u64>) {
        let mut order: Vec<(usize, usize)> = self.firsts.iter().copied().enumerate().collect();
        order.sort_unstable_by(|a, b| compare(a.1, b.1));
        let mut ranks = vec![0; order.len()];
        for (rank, (id, _)) in order.iter().enumerate() {
            if let Some(slot) = ranks.get_mut(*id) {
                *slot = rank as u64;
            }
        }
        (order.into_iter().map(|(_, row)| row).collect(), ranks)
    }
}

/// Folds a number into a running hash; weak, but fixed and quick.
pub(crate) fn mix(hash: u64, number: u64) -> u64 {
    (hash.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A fixed hash of bytes.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let (chunks, tail) = bytes.as_chunks::<8>();
    let mut hash = bytes.len() as u64;
    for chunk in chunks {
        hash = mix(hash, u64::from_le_bytes(*chunk));
    }
    if tail.is_empty() {
        return hash;
    }
    // The last bytes, some of them once more, in one load or two.
    let last = if let Some(last) = bytes.last_chunk::<8>() {
        u64::from_le_bytes(*last)
    } else if let (Some(first), Some(last)) = (tail.first_chunk::<4>(), tail.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
    } else {
        let fold = |folded: u64, byte: &u8| folded << 8 | u64::from(*byte);
        tail.iter().fold(0, fold)
    };
    mix(hash, last)
}

fn slot_of(hash: u64) -> usize {
    let top = hash >> (64 - SLOTS.trailing_zeros());
    low32(top) as usize
}
