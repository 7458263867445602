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

/// A cache whose bytes are a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteCache {
    /// One of the store.
    Store(StoreCache),
    /// Of dictionaries that values are compressed with.
    Dictionaries,
}

/// The sizes of caches. A change takes effect at once: what is too much is forgotten.
pub trait CacheSizes {
    /// How many statements a cache keeps.
    fn entries_max(&self, cache: StatementCache) -> usize;

    /// Changes how many statements a cache keeps.
    fn set_entries_max(&self, cache: StatementCache, entries: usize);

    /// How many bytes a cache keeps.
    fn bytes_max(&self, cache: ByteCache) -> u64;

    /// Changes how many bytes a cache keeps; `None` is what it was at first.
    fn set_bytes_max(&self, cache: ByteCache, bytes: Option<u64>);
}
