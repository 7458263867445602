//! How much the caches hold.

use varve_types::MemoryAccount;

use crate::cache::{CacheStats, StoreCache};
use crate::settings::StoreSettings;
use crate::store::Store;

/// What a cache holds at most until somebody says otherwise. Whatever the settings say, operators
/// keep half of the memory.
pub(super) fn first_cache_bytes(
    settings: &StoreSettings,
    memory: &dyn MemoryAccount,
    cache: StoreCache,
) -> u64 {
    let (wanted, sixteenths) = match cache {
        StoreCache::Pages => (settings.page_cache_bytes_max, 5),
        StoreCache::Groups => (settings.group_cache_bytes_max, 2),
        StoreCache::Rows => (settings.row_cache_bytes_max, 1),
    };
    wanted.min(memory.limit_bytes() / 16 * sixteenths)
}

impl Store {
    /// What a cache tells of itself.
    pub fn cache_stats(&self, cache: StoreCache) -> CacheStats {
        match cache {
            StoreCache::Pages => self.cache.stats(),
            StoreCache::Groups => self.groups.stats(),
            StoreCache::Rows => self.rows.stats(),
        }
    }

    /// Changes how many bytes a cache holds at most; `None` is what it is without a wish, under the
    /// memory limit of today.
    pub fn set_cache_bytes(&self, cache: StoreCache, bytes_max: Option<u64>) {
        let first = || first_cache_bytes(&self.settings, &*self.memory, cache);
        let bytes_max = bytes_max.unwrap_or_else(first);
        match cache {
            StoreCache::Pages => self.cache.set_bytes_max(bytes_max),
            StoreCache::Groups => self.groups.set_bytes_max(bytes_max),
            StoreCache::Rows => self.rows.set_bytes_max(bytes_max),
        }
    }
}
