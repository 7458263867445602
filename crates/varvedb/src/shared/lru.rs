//! A cache by text that forgets what was not used for longest.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_types::{MemoryAccount, Reservation};

/// Values by text, bounded in entries and in bytes, which are booked on the memory account.
pub(crate) struct Lru<V> {
    entries: Mutex<Entries<V>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

struct Entries<V> {
    by_text: HashMap<Arc<str>, Entry<V>>,
    /// Counts uses, to tell which entry was used last.
    clock: u64,
    entries_max: usize,
    bytes_max: u64,
    held: Reservation,
    evictions: u64,
}

struct Entry<V> {
    value: V,
    used: u64,
    bytes: u64,
}

/// What a cache tells of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheCounters {
    pub hits: u64,
    pub misses: u64,
    pub evictions: u64,
    pub entries: u64,
    pub bytes: u64,
    /// The most entries, or bytes where those are not bounded.
    pub capacity: u64,
}

impl<V: Clone> Lru<V> {
    pub fn new(entries_max: usize, bytes_max: u64, memory: Arc<dyn MemoryAccount>) -> Lru<V> {
        Lru {
            entries: Mutex::new(Entries {
                by_text: HashMap::new(),
                clock: 0,
                entries_max,
                bytes_max,
                held: Reservation::new(memory),
                evictions: 0,
            }),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The value of a text. Whether it was of use is for the caller to [`Lru::count`].
    pub fn get(&self, text: &str) -> Option<V> {
        let mut entries = self.lock();
        entries.clock += 1;
        let now = entries.clock;
        let entry = entries.by_text.get_mut(text)?;
        entry.used = now;
        Some(entry.value.clone())
    }

    pub fn count(&self, hit: bool) {
        let counter = if hit { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps a value of about `bytes`, unless it is too large or memory is short.
    pub fn put(&self, text: &Arc<str>, value: V, bytes: usize) {
        let bytes = (bytes + text.len()) as u64;
        let mut entries = self.lock();
        entries.remove(text);
        if bytes > entries.bytes_max / 4 || entries.entries_max == 0 {
            return;
        }
        let room = entries.bytes_max - bytes;
        let others_max = entries.entries_max - 1;
        entries.shrink_to(others_max, room);
        let held = entries.held.bytes() + bytes;
        if entries.held.resize(held).is_err() {
            return;
        }
        entries.clock += 1;
        let used = entries.clock;
        let entry = Entry { value, used, bytes };
        entries.by_text.insert(Arc::clone(text), entry);
    }

    /// Changes how many entries are kept.
    pub fn set_entries_max(&self, entries_max: usize) {
        let mut entries = self.lock();
        entries.entries_max = entries_max;
        let bytes_max = entries.bytes_max;
        entries.shrink_to(entries_max, bytes_max);
    }

    pub fn entries_max(&self) -> usize {
        self.lock().entries_max
    }

    /// Changes how many bytes are kept.
    pub fn set_bytes_max(&self, bytes_max: u64) {
        let mut entries = self.lock();
        entries.bytes_max = bytes_max;
        let entries_max = entries.entries_max;
        entries.shrink_to(entries_max, bytes_max);
    }

    pub fn bytes_max(&self) -> u64 {
        self.lock().bytes_max
    }

    pub fn counters(&self) -> CacheCounters {
        let entries = self.lock();
        CacheCounters {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            evictions: entries.evictions,
            entries: entries.by_text.len() as u64,
            bytes: entries.held.bytes(),
            capacity: match entries.entries_max {
                usize::MAX => entries.bytes_max,
                entries => entries as u64,
            },
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entries<V>> {
        // No step under this lock can panic half-way.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V> Entries<V> {
    fn remove(&mut self, text: &str) {
        if let Some(entry) = self.by_text.remove(text) {
            let bytes = self.held.bytes().saturating_sub(entry.bytes);
            // Giving back cannot fail.
            let _ = self.held.resize(bytes);
        }
    }

    /// Forgets the entries that were not used for longest, until so much is left.
    fn shrink_to(&mut self, entries: usize, bytes: u64) {
        while self.by_text.len() > entries || self.held.bytes() > bytes {
            let oldest = self.by_text.iter().min_by_key(|(_, entry)| entry.used);
            let Some(text) = oldest.map(|(text, _)| Arc::clone(text)) else {
                return;
            };
            self.remove(&text);
            self.evictions += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use varve_types::{MemoryAccount, MemoryBudget};

    use super::{CacheCounters, Lru};

    fn put(cache: &Lru<u32>, text: &str, value: u32, bytes: usize) {
        cache.put(&Arc::from(text), value, bytes);
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let memory = Arc::new(MemoryBudget::new(1 << 20));
        let cache: Lru<u32> = Lru::new(2, 1000, memory.clone());
        put(&cache, "a", 1, 9);
        put(&cache, "b", 2, 9);
        assert_eq!(cache.get("a"), Some(1));
        put(&cache, "c", 3, 9);
        let seen = ["a", "b", "c"].map(|text| cache.get(text));
        assert_eq!(seen, [Some(1), None, Some(3)]);
        cache.count(true);
        cache.count(false);
        let expected = CacheCounters {
            hits: 1,
            misses: 1,
            evictions: 1,
            entries: 2,
            bytes: 20,
            capacity: 2,
        };
        assert_eq!(cache.counters(), expected);
        assert_eq!(memory.used_bytes(), 20);
        cache.set_entries_max(1);
        assert_eq!((cache.get("a"), cache.get("c")), (None, Some(3)));
    }

    #[test]
    fn bytes_are_bounded_and_booked() {
        let memory = Arc::new(MemoryBudget::new(700));
        let cache: Lru<u32> = Lru::new(99, 1000, memory);
        put(&cache, "a", 1, 250);
        assert_eq!(cache.get("a"), None, "over a quarter of all");
        for text in ["a", "b", "c", "d"] {
            put(&cache, text, 1, 199);
        }
        assert_eq!(cache.get("d"), None, "the account is full");
        assert_eq!(cache.counters().bytes, 600);
        put(&cache, "a", 7, 0);
        assert_eq!(cache.get("a"), Some(7), "put again with another size");
        assert_eq!(cache.counters().bytes, 401);
    }
}
