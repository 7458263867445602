//! What was read before, bounded in bytes under the memory account, the least recently used first
//! to go: pages as stored, what was made of them by group, and rows by key.

mod groups;
mod lru;
mod pages;
mod rows;

/// One of the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreCache {
    /// Pages as stored.
    Pages,
    /// What was made of the pages of groups.
    Groups,
    /// Rows that were looked up by key.
    Rows,
}

pub(crate) use groups::GroupCache;
pub use lru::CacheStats;
pub(crate) use pages::{PageCache, PageId};
pub(crate) use rows::{CachedRow, RowCache, RowQuery};
