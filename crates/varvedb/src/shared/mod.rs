//! What all sessions of a database share. It knows no session.

pub(crate) mod advisory;
pub(crate) mod cancel;
pub(crate) mod lru;
pub(crate) mod options;
pub(crate) mod phases;
pub(crate) mod planned;
pub(crate) mod prepared;
pub(crate) mod result_set;
pub(crate) mod schedule;
pub(crate) mod scratch;
pub(crate) mod statements;
pub(crate) mod temporary_schemas;

use std::sync::Arc;

use varve_ddl::Sequences;
use varve_expr::JobOrder;
use varve_kv_encrypted::EncryptedKv;
use varve_settings::{ByteCache, CacheSizes, Configured, Durability, StatementCache};
use varve_store::{JobId, KvSetting, Store, StoreSettings};
use varve_types::{Env, MemoryBudget};

use crate::transparent::{DICTIONARY_CACHE_BYTES, PreparedDictionaries};
use advisory::AdvisoryLocks;
use phases::Phases;
use schedule::JobSchedule;
use statements::Statements;
use temporary_schemas::TemporarySchemas;

/// What all sessions of a database share.
pub(crate) struct Shared {
    pub store: Arc<Store>,
    /// What is below the store, if it is encrypted.
    pub encrypted: Option<Arc<EncryptedKv>>,
    pub env: Arc<dyn Env>,
    pub memory: Arc<MemoryBudget>,
    /// Of sessions that do not say otherwise.
    pub durability: Durability,
    /// As it was opened; the limit in force is the account's.
    pub memory_limit_bytes: u64,
    pub statements: Statements,
    pub phases: Phases,
    pub sequences: Sequences,
    pub temporary: TemporarySchemas,
    pub advisory: AdvisoryLocks,
    /// When jobs that SQL describes are due.
    pub schedule: JobSchedule,
    /// Dictionaries that values are compressed with.
    pub dictionaries: Arc<PreparedDictionaries>,
}

impl Configured for Shared {
    fn durability(&self) -> Durability {
        self.durability
    }

    fn memory(&self) -> &MemoryBudget {
        &self.memory
    }

    fn memory_limit_bytes(&self) -> u64 {
        self.memory_limit_bytes
    }

    fn store(&self) -> &StoreSettings {
        self.store.settings()
    }

    fn backend(&self) -> Vec<KvSetting> {
        self.store.backend_settings()
    }

    fn caches(&self) -> &dyn CacheSizes {
        self
    }
}

impl CacheSizes for Shared {
    fn entries_max(&self, cache: StatementCache) -> usize {
        match cache {
            StatementCache::Parsed => self.statements.parsed.entries_max(),
            StatementCache::Plans => self.statements.plans.entries_max(),
        }
    }

    fn set_entries_max(&self, cache: StatementCache, entries: usize) {
        match cache {
            StatementCache::Parsed => self.statements.parsed.set_entries_max(entries),
            StatementCache::Plans => self.statements.plans.set_entries_max(entries),
        }
    }

    fn bytes_max(&self, cache: ByteCache) -> u64 {
        match cache {
            ByteCache::Store(cache) => self.store.cache_stats(cache).bytes_max,
            ByteCache::Dictionaries => self.dictionaries.bytes_max(),
        }
    }

    fn set_bytes_max(&self, cache: ByteCache, bytes: Option<u64>) {
        match cache {
            ByteCache::Store(cache) => self.store.set_cache_bytes(cache, bytes),
            ByteCache::Dictionaries => {
                let bytes = bytes.unwrap_or(DICTIONARY_CACHE_BYTES);
                self.dictionaries.set_bytes_max(bytes);
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A job that runs would keep the store until its end.
        self.store.stop_jobs();
    }
}

impl Shared {
    pub fn order_job(&self, job: i64, order: JobOrder) -> bool {
        let id = JobId(job.cast_unsigned());
        match order {
            JobOrder::Cancel => self.store.cancel_job(id),
            JobOrder::Pause => self.store.pause_job(id),
            JobOrder::Resume => self.store.resume_job(id),
        }
    }
}

impl core::fmt::Debug for Shared {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
