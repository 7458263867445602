//! How much the caches of a database keep.

use varve_store::StoreCache;

/// A cache of statements, which all sessions share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementCache {
    /// Of syntax trees.
    Parsed,
    /// Of plans.
    Plans,
}

impl StatementCache {
    /// How many statements it keeps at first.
    pub fn first_entries_max(self) -> usize {
        match self {
            StatementCache::Parsed => 512,
            StatementCache::Plans => 256,
        }
    }
}

/// The sizes of caches. A change takes effect at once: what is too much is forgotten.
pub trait CacheSizes {
    /// How many statements a cache keeps.
    fn entries_max(&self, cache: StatementCache) -> usize;

    /// Changes how many statements a cache keeps.
    fn set_entries_max(&self, cache: StatementCache, entries: usize);

    /// How many bytes a cache of the store keeps.
    fn bytes_max(&self, cache: StoreCache) -> u64;

    /// Changes how many bytes a cache of the store keeps; `None` is what it was at first.
    fn set_bytes_max(&self, cache: StoreCache, bytes: Option<u64>);
}
