//! A hash table from keys, which it does not hold, to their numbers.

/// High bits of the hash that choose a part. Parts keep each allocation and each moment of growth
/// small.
const PART_BITS: u32 = 6;
const SLOTS_MIN: usize = 16;
/// A slot holds the high 32 bits of the hash, and the number plus one; 0 is a free slot.
const TAG: u64 = !0xffff_ffff;

#[derive(Debug)]
pub(super) struct HashTable {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Default)]
struct Part {
    /// A power of two of slots, at most three quarters of them taken; or none.
    slots: Vec<u64>,
    taken: usize,
}

impl HashTable {
    pub(super) fn new() -> HashTable {
        HashTable {
            parts: vec![Part::default(); 1 << PART_BITS],
        }
    }

    /// The number with this hash for which `same` holds.
    pub(super) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let part = self.parts.get(part_of(hash))?;
        let mask = part.slots.len().wrapping_sub(1);
        let mut at = first_slot(hash);
        loop {
            let slot = *part.slots.get(at & mask)?;
            let id = number(slot)?;
            if (slot ^ hash) & TAG == 0 && same(id) {
                return Some(id);
            }
            at = at.wrapping_add(1);
        }
    }

    /// Adds a number that is not there yet.
    pub(super) fn insert(&mut self, hash: u64, id: u32) {
        let Some(part) = self.parts.get_mut(part_of(hash)) else {
            return;
        };
        if part.taken * 4 >= part.slots.len() * 3 {
            let slots = (part.slots.len() * 2).max(SLOTS_MIN);
            let old = core::mem::replace(&mut part.slots, vec![0; slots]);
            for slot in old {
                part.place(slot);
            }
        }
        part.taken += 1;
        part.place((hash & TAG) | (u64::from(id) + 1));
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let slots: usize = self.parts.iter().map(|part| part.slots.len()).sum();
        slots * size_of::<u64>()
    }
}

impl Part {
    fn place(&mut self, slot: u64) {
        if slot == 0 {
            return;
        }
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = first_slot(slot);
        while let Some(here) = self.slots.get_mut(at & mask) {
            if *here == 0 {
                *here = slot;
                return;
            }
            at = at.wrapping_add(1);
        }
    }
}

fn part_of(hash: u64) -> usize {
    usize::try_from(hash >> (64 - PART_BITS)).unwrap_or(0)
}

/// Where probing begins, from the bits of the tag that did not choose the part.
fn first_slot(hash: u64) -> usize {
    usize::try_from((hash >> 32) & (u64::from(u32::MAX) >> PART_BITS)).unwrap_or(0)
}

fn number(slot: u64) -> Option<u32> {
    let plus_one = u32::try_from(slot & !TAG).ok()?;
    plus_one.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::HashTable;

    #[test]
    fn equal_hashes_are_told_apart_by_the_keys() {
        let mut table = HashTable::new();
        assert_eq!(table.find(0, |_| true), None);
        for id in 0..1000 {
            // Ten numbers a hash, all in one part.
            let hash = u64::from(id / 10) << 32;
            assert_eq!(table.find(hash, |other| other == id), None);
            table.insert(hash, id);
        }
        for id in 0..1000 {
            let hash = u64::from(id / 10) << 32;
            assert_eq!(table.find(hash, |other| other == id), Some(id));
        }
        assert_eq!(table.find(100 << 32, |_| true), None);
        assert!(table.memory_bytes() >= 1000 * 8);
    }
}
