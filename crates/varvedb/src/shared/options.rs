//! Settings of a database.

use std::sync::Arc;

use varve_kv_encrypted::Encryption;
use varve_settings::Durability;
use varve_store::{StoreSettings, ZstdSource};

use crate::shared::phases::Tracer;

/// How a [`crate::Database`] is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most bytes that caches, memtables and operators hold together.
    pub memory_limit_bytes: u64,
    /// How durable a commit is when it answers.
    pub durability: Durability,
    /// Whether a store that is not there is an error instead of a new one: an application that
    /// knows that it has data learns so that the browser evicted it.
    pub must_exist: bool,
    /// The key of an encrypted store, which a store that is not there becomes. Without one, an
    /// encrypted store is refused, and with one every other.
    pub encryption: Option<Encryption>,
    /// Settings of the store.
    pub store: StoreSettings,
    /// Where what makes frames of zstd comes from, if it is not in this build.
    pub zstd: Option<Arc<dyn ZstdSource>>,
    /// Is told of the phases of each statement.
    pub tracer: Option<Arc<dyn Tracer>>,
}

impl Options {
    /// For a tab: 256 MiB, relaxed durability (safe against a crash of the tab or the browser).
    pub fn browser() -> Options {
        Options {
            memory_limit_bytes: 256 << 20,
            durability: Durability::Relaxed,
            must_exist: false,
            encryption: None,
            store: StoreSettings::browser(),
            zstd: None,
            tracer: None,
        }
    }

    /// The settings of the store within the memory limit. Pages take half at most of what memtables
    /// and the other caches leave of it: they come and go, and the holes that they leave in memory,
    /// as much again, are booked nowhere.
    pub(crate) fn store_settings(&self) -> StoreSettings {
        let store = &self.store;
        let others = [
            store.memtable_bytes_max.saturating_mul(2),
            store.group_cache_bytes_max,
            store.row_cache_bytes_max,
        ];
        let left_bytes = others
            .into_iter()
            .fold(self.memory_limit_bytes, u64::saturating_sub);
        // A scan reads a page again for each of its vectors where no page stays.
        let pages_bytes_max = (left_bytes / 2).max(self.memory_limit_bytes / 8);
        StoreSettings {
            page_cache_bytes_max: store.page_cache_bytes_max.min(pages_bytes_max),
            ..store.clone()
        }
    }

    /// For a native process: 1 GiB, strict durability.
    pub fn native() -> Options {
        Options {
            memory_limit_bytes: 1 << 30,
            durability: Durability::Strict,
            must_exist: false,
            encryption: None,
            store: StoreSettings::native(),
            zstd: None,
            tracer: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn pages_take_half_of_what_the_other_caches_leave() {
        let of = |limit_mib: u64| {
            let options = Options {
                memory_limit_bytes: limit_mib << 20,
                ..Options::browser()
            };
            options.store_settings().page_cache_bytes_max >> 20
        };
        assert_eq!([16, 128, 256, 1024].map(of), [2, 36, 100, 128]);
    }
}
