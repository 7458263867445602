//! Values by key, the least recently used first to go.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

use varve_types::{MemoryAccount, Reservation};

use crate::slab::Slab;

/// What an entry costs beside its value: its place in the list and in the map.
const ENTRY_BYTES: u64 = 96;
const NONE: u32 = u32::MAX;

/// What a cache tells of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Requests that found what they wanted.
    pub hits: u64,
    /// Requests that did not.
    pub misses: u64,
    /// Entries that made room for others.
    pub evictions: u64,
    /// Entries now.
    pub entries: u64,
    /// Bytes now.
    pub bytes: u64,
    /// Bytes at most.
    pub bytes_max: u64,
}

/// A cache bounded in bytes, which it books on a memory account.
pub(crate) struct Lru<K, V> {
    places: HashMap<K, u32, BuildHasherDefault<IdHasher>>,
    entries: Slab<Entry<K, V>>,
    /// Used last.
    newest: u32,
    oldest: u32,
    reservation: Reservation,
    stats: CacheStats,
}

struct Entry<K, V> {
    key: K,
    /// `None` once it was removed.
    value: Option<V>,
    bytes: u64,
    newer: u32,
    older: u32,
}

impl<K: Copy + Eq + Hash, V> Lru<K, V> {
    pub(crate) fn new(bytes_max: u64, account: Arc<dyn MemoryAccount>) -> Lru<K, V> {
        Lru {
            places: HashMap::default(),
            entries: Slab::default(),
            newest: NONE,
            oldest: NONE,
            reservation: Reservation::new(account),
            stats: CacheStats {
                bytes_max,
                ..CacheStats::default()
            },
        }
    }

    pub(crate) fn stats(&self) -> CacheStats {
        CacheStats {
            entries: self.places.len() as u64,
            ..self.stats
        }
    }

    /// The value at a key, which counts as used now.
    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        let Some(place) = self.places.get(key).copied() else {
            self.stats.misses += 1;
            return None;
        };
        self.stats.hits += 1;
        if place != self.newest {
            self.unlink(place);
            self.link(place);
        }
        self.entries.get(place)?.value.as_ref()
    }

    /// A hit turned out to be none.
    pub(crate) fn miscounted(&mut self) {
        self.stats.hits -= 1;
        self.stats.misses += 1;
    }

    /// Keeps a value of so many bytes, unless neither the bound nor the account leave room for it.
    pub(crate) fn put(&mut self, key: K, value: V, value_bytes: u64) {
        self.remove(&key);
        let bytes = value_bytes.saturating_add(ENTRY_BYTES);
        if !self.make_room(bytes, NONE) {
            return;
        }
        let place = self.entries.add(Entry {
            key,
            value: Some(value),
            bytes,
            newer: NONE,
            older: NONE,
        });
        let Ok(place) = place else {
            // A cache need not keep it.
            self.stats.bytes -= bytes;
            return;
        };
        self.places.insert(key, place);
        self.link(place);
    }

    /// A value takes more bytes than when it was put; it goes where there is no room for them.
    pub(crate) fn grow(&mut self, key: &K, value_bytes: u64) {
        let Some(place) = self.places.get(key).copied() else {
            return;
        };
        let bytes = value_bytes.saturating_add(ENTRY_BYTES);
        let before = self.entries.get(place).map_or(bytes, |entry| entry.bytes);
        let more = bytes.saturating_sub(before);
        if more == 0 {
            return;
        }
        if !self.make_room(more, place) {
            self.remove(key);
            self.stats.evictions += 1;
        } else if let Some(entry) = self.entries.get_mut(place) {
            entry.bytes = bytes;
        }
    }

    /// Books so many bytes more, for which others but the entry at `kept` make room.
    fn make_room(&mut self, bytes: u64, kept: u32) -> bool {
        if bytes > self.stats.bytes_max {
            return false;
        }
        loop {
            let total = self.stats.bytes.saturating_add(bytes);
            if total <= self.stats.bytes_max && self.reservation.resize(total).is_ok() {
                self.stats.bytes = total;
                return true;
            }
            if self.oldest == kept || !self.evict() {
                return false;
            }
        }
    }

    /// Changes how many bytes it holds at most.
    pub(crate) fn set_bytes_max(&mut self, bytes_max: u64) {
        self.stats.bytes_max = bytes_max;
        self.release(self.stats.bytes.saturating_sub(bytes_max));
    }

    /// Gives up values of at least so many bytes, or all; returns how many it gave up.
    pub(crate) fn release(&mut self, bytes: u64) -> u64 {
        let before = self.stats.bytes;
        let goal = before.saturating_sub(bytes);
        while self.stats.bytes > goal && self.evict() {}
        before - self.stats.bytes
    }

    /// Drops the values at keys that do not pass.
    pub(crate) fn retain(&mut self, passes: impl Fn(&K) -> bool) {
        let entries = self.entries.iter();
        let gone = entries.filter(|entry| entry.value.is_some() && !passes(&entry.key));
        let gone: Vec<K> = gone.map(|entry| entry.key).collect();
        for key in gone {
            self.remove(&key);
        }
    }

    fn evict(&mut self) -> bool {
        let Some(key) = self.entries.get(self.oldest).map(|entry| entry.key) else {
            return false;
        };
        self.stats.evictions += 1;
        self.remove(&key);
        true
    }

    fn remove(&mut self, key: &K) {
        let Some(place) = self.places.remove(key) else {
            return;
        };
        self.unlink(place);
        if let Some(entry) = self.entries.get_mut(place) {
            entry.value = None;
            self.stats.bytes -= entry.bytes;
        }
        self.entries.free(place);
        // A smaller reservation is never refused.
        let _ = self.reservation.resize(self.stats.bytes);
    }

    fn link(&mut self, place: u32) {
        let older = core::mem::replace(&mut self.newest, place);
        if let Some(entry) = self.entries.get_mut(place) {
            (entry.newer, entry.older) = (NONE, older);
        }
        match self.entries.get_mut(older) {
            Some(entry) => entry.newer = place,
            None => self.oldest = place,
        }
    }

    fn unlink(&mut self, place: u32) {
        let Some(entry) = self.entries.get(place) else {
            return;
        };
        let (newer, older) = (entry.newer, entry.older);
        match self.entries.get_mut(newer) {
            Some(entry) => entry.older = older,
            None => self.newest = older,
        }
        match self.entries.get_mut(older) {
            Some(entry) => entry.newer = newer,
            None => self.oldest = newer,
        }
    }
}

/// A hasher of ids: the same in every process. Nothing ever goes through a map in its order.
#[derive(Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        // The multiplication carries upwards, the shift brings what it made down again.
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::{any, prop_assert_eq, proptest};
    use varve_types::{MemoryAccount, MemoryBudget};

    use super::{ENTRY_BYTES, Lru};

    proptest! {
        /// Against a list in the order of use.
        #[test]
        fn keeps_what_was_used_last(
            steps in proptest::collection::vec((0_u8..4, 0_u64..12, 1_u64..40), 0..200),
            bound in 300_u64..1500,
        ) {
            let account = Arc::new(MemoryBudget::new(1200));
            let mut lru = Lru::new(bound, account.clone());
            let mut twin: Vec<(u64, u64, u64)> = Vec::new();
            let bound = bound.min(1200);
            let trim = |twin: &mut Vec<(u64, u64, u64)>| {
                while twin.iter().map(|entry| entry.2).sum::<u64>() > bound {
                    twin.remove(0);
                }
            };
            for (step, key, bytes) in steps {
                let at = twin.iter().position(|entry| entry.0 == key);
                match step {
                    0 => {
                        lru.put(key, bytes, bytes * 4);
                        at.map(|at| twin.remove(at));
                        twin.push((key, bytes, bytes * 4 + ENTRY_BYTES));
                        trim(&mut twin);
                    }
                    1 => {
                        let found = at.map(|at| twin.remove(at));
                        twin.extend(found);
                        prop_assert_eq!(lru.get(&key).copied(), found.map(|entry| entry.1));
                    }
                    2 => {
                        let half = |key: &u64| key % 3 != bytes % 3;
                        lru.retain(half);
                        twin.retain(|entry| half(&entry.0));
                    }
                    _ => {
                        let goal = lru.stats().bytes.saturating_sub(bytes);
                        lru.release(bytes);
                        while twin.iter().map(|entry| entry.2).sum::<u64>() > goal {
                            twin.remove(0);
                        }
                    }
                }
                let stats = lru.stats();
                prop_assert_eq!(stats.entries, twin.len() as u64);
                prop_assert_eq!(stats.bytes, twin.iter().map(|entry| entry.2).sum::<u64>());
                prop_assert_eq!(account.used_bytes(), stats.bytes);
            }
        }

        #[test]
        fn an_entry_that_grows_stays_or_goes(sizes in proptest::collection::vec(any::<u8>(), 4)) {
            let mut lru = Lru::new(500, Arc::new(MemoryBudget::new(10_000)));
            for (size, key) in sizes.iter().zip(0_u64..) {
                lru.put(key, (), u64::from(*size) % 30);
            }
            lru.get(&1);
            lru.grow(&1, 300);
            lru.grow(&3, 10_000);
            let stats = lru.stats();
            assert!(stats.bytes <= 500);
            assert!(lru.get(&1).is_some() && lru.get(&3).is_none());
        }
    }
}
