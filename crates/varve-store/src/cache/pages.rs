//! The page cache: values of runs as stored, each checked once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_run::CheckedValue;
use varve_types::{MemoryAccount, RunId};

use crate::cache::lru::{CacheStats, Lru};

/// A value of a run.
pub(crate) type PageId = (RunId, u32);

/// Pages that were read, under the memory account.
pub(crate) struct PageCache(Mutex<Lru<PageId, CheckedValue>>);

impl PageCache {
    pub(crate) fn new(bytes_max: u64, account: Arc<dyn MemoryAccount>) -> PageCache {
        PageCache(Mutex::new(Lru::new(bytes_max, account)))
    }

    fn pages(&self) -> MutexGuard<'_, Lru<PageId, CheckedValue>> {
        // No step under this lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, page: PageId) -> Option<CheckedValue> {
        self.pages().get(&page).cloned()
    }

    /// For each page its value, if it is here.
    pub(crate) fn get_many(&self, pages: &[PageId]) -> Vec<Option<CheckedValue>> {
        let mut cache = self.pages();
        pages.iter().map(|page| cache.get(page).cloned()).collect()
    }

    /// Keeps a page.
    pub(crate) fn put(&self, page: PageId, value: &CheckedValue) {
        let bytes = value.bytes() as u64;
        self.pages().put(page, value.clone(), bytes);
    }

    /// Gives up pages of at least so many bytes, or all; returns how many.
    pub(crate) fn release(&self, bytes: u64) -> u64 {
        self.pages().release(bytes)
    }

    /// Drops the pages of a run that is gone.
    pub(crate) fn forget_run(&self, run: RunId) {
        self.pages().retain(|(of, _)| *of != run);
    }

    pub(crate) fn set_bytes_max(&self, bytes_max: u64) {
        self.pages().set_bytes_max(bytes_max);
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.pages().stats()
    }
}
