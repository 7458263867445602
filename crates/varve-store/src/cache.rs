//! The page cache: values of runs as stored, each checked once, bounded in bytes, least recently
//! used first to go.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_run::CheckedValue;
use varve_types::{MemoryAccount, Reservation, RunId};

/// A value of a run.
pub(crate) type PageId = (RunId, u32);

/// Counters of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheCounters {
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    pub(crate) evictions: u64,
    pub(crate) bytes: u64,
}

/// Pages that were read, under the memory account.
pub(crate) struct PageCache {
    bytes_max: u64,
    inner: Mutex<Inner>,
}

struct Inner {
    pages: BTreeMap<PageId, Entry>,
    /// Pages by when they were last used.
    by_use: BTreeMap<u64, PageId>,
    clock: u64,
    reservation: Reservation,
    counters: CacheCounters,
}

struct Entry {
    value: CheckedValue,
    last_use: u64,
}

impl PageCache {
    pub(crate) fn new(bytes_max: u64, account: Arc<dyn MemoryAccount>) -> PageCache {
        PageCache {
            bytes_max,
            inner: Mutex::new(Inner {
                pages: BTreeMap::new(),
                by_use: BTreeMap::new(),
                clock: 0,
                reservation: Reservation::new(account),
                counters: CacheCounters::default(),
            }),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No step under this lock can panic half-way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For each page its value, if it is here.
    pub(crate) fn get_many(&self, pages: &[PageId]) -> Vec<Option<CheckedValue>> {
        let mut inner = self.inner();
        pages.iter().map(|page| inner.get(*page)).collect()
    }

    /// Keeps a page, unless neither the bound nor the account leave room for it.
    pub(crate) fn put(&self, page: PageId, value: &CheckedValue) {
        let bytes = value.bytes() as u64;
        let mut inner = self.inner();
        if bytes > self.bytes_max || inner.pages.contains_key(&page) {
            return;
        }
        while inner.counters.bytes + bytes > self.bytes_max {
            inner.evict();
        }
        loop {
            let total = inner.counters.bytes + bytes;
            if inner.reserve(total).is_ok() {
                break;
            }
            if !inner.evict() {
                return;
            }
        }
        inner.counters.bytes += bytes;
        inner.clock += 1;
        let last_use = inner.clock;
        inner.by_use.insert(last_use, page);
        let value = value.clone();
        inner.pages.insert(page, Entry { value, last_use });
    }

    /// Gives up pages of at least so many bytes, or all.
    pub(crate) fn release(&self, bytes: u64) {
        let mut inner = self.inner();
        let goal = inner.counters.bytes.saturating_sub(bytes);
        while inner.counters.bytes > goal && inner.evict() {}
    }

    /// Drops the pages of a run that is gone.
    pub(crate) fn forget_run(&self, run: RunId) {
        let mut inner = self.inner();
        let range = (run, 0)..=(run, u32::MAX);
        let pages: Vec<PageId> = inner.pages.range(range).map(|(page, _)| *page).collect();
        for page in pages {
            inner.remove(page);
        }
    }

    pub(crate) fn counters(&self) -> CacheCounters {
        self.inner().counters
    }
}

impl Inner {
    fn get(&mut self, page: PageId) -> Option<CheckedValue> {
        let Some(entry) = self.pages.get_mut(&page) else {
            self.counters.misses += 1;
            return None;
        };
        self.counters.hits += 1;
        self.clock += 1;
        self.by_use.remove(&entry.last_use);
        entry.last_use = self.clock;
        self.by_use.insert(self.clock, page);
        Some(entry.value.clone())
    }

    fn reserve(&mut self, bytes: u64) -> varve_types::Result<()> {
        self.reservation.resize(bytes)
    }

    /// Lets the page go that was not used for longest; false if there is none.
    fn evict(&mut self) -> bool {
        let Some((_, page)) = self.by_use.first_key_value() else {
            return false;
        };
        let page = *page;
        self.counters.evictions += 1;
        self.remove(page);
        true
    }

    fn remove(&mut self, page: PageId) {
        if let Some(entry) = self.pages.remove(&page) {
            self.by_use.remove(&entry.last_use);
            self.counters.bytes -= entry.value.bytes() as u64;
            let bytes = self.counters.bytes;
            // A smaller reservation is never refused.
            let _ = self.reserve(bytes);
        }
    }
}
