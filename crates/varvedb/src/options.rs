//! Settings of a database.

use varve_kv::Durability;
use varve_store::StoreSettings;

/// How a [`crate::Database`] is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most bytes that caches, memtables and operators hold together.
    pub memory_limit_bytes: u64,
    /// How durable a commit is when it answers.
    pub durability: Durability,
    /// Settings of the store.
    pub store: StoreSettings,
}

impl Options {
    /// For a tab: 256 MiB, relaxed durability (safe against a crash of the tab or the browser).
    pub fn browser() -> Options {
        Options {
            memory_limit_bytes: 256 << 20,
            durability: Durability::Relaxed,
            store: StoreSettings::browser(),
        }
    }

    /// For a native process: 1 GiB, strict durability.
    pub fn native() -> Options {
        Options {
            memory_limit_bytes: 1 << 30,
            durability: Durability::Strict,
            store: StoreSettings::native(),
        }
    }
}
