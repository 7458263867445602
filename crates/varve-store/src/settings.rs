//! Bounds of a store, settable when it is opened.

/// Bounds of memory, log and batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// The memtable is frozen when it or its log passes this, to be flushed while another one of
    /// this size takes commits; a transaction spills past half of it.
    pub memtable_bytes_max: u64,
    /// Values of the log are merged when it holds this many.
    pub log_values_max: u32,
    /// The longest that a commit may be acknowledged before it is stored, in microseconds, where
    /// somebody runs the jobs.
    pub async_delay_us: u64,
    /// Pages of runs are written in batches up to this.
    pub write_batch_bytes_max: u64,
    /// Compaction ends a run at about this.
    pub run_bytes_max: u64,
    /// The page cache holds up to this, and less where the memory account is short.
    pub page_cache_bytes_max: u64,
    /// The cache of what was made of pages holds up to this: parsed indexes, shared parts, bytes
    /// before a general stage, keys.
    pub group_cache_bytes_max: u64,
    /// The cache of rows that were looked up by key holds up to this.
    pub row_cache_bytes_max: u64,
    /// Scratch space holds up to this; 0 where there is no place for it.
    pub scratch_bytes_max: u64,
    /// What lies there for the time when the storage is full, once the store holds half as much; 0
    /// where the backend keeps space for that. It is more than a write batch: deletions come before
    /// the batch that frees their space.
    pub reserve_bytes: u64,
}

impl StoreSettings {
    /// For a browser tab.
    pub fn browser() -> StoreSettings {
        StoreSettings {
            memtable_bytes_max: 8 << 20,
            log_values_max: 1024,
            async_delay_us: 50_000,
            write_batch_bytes_max: 4 << 20,
            run_bytes_max: 32 << 20,
            page_cache_bytes_max: 128 << 20,
            group_cache_bytes_max: 32 << 20,
            row_cache_bytes_max: 8 << 20,
            scratch_bytes_max: 4 << 30,
            reserve_bytes: 5 << 20,
        }
    }

    /// For a native process.
    pub fn native() -> StoreSettings {
        StoreSettings {
            memtable_bytes_max: 64 << 20,
            async_delay_us: 10_000,
            run_bytes_max: 128 << 20,
            page_cache_bytes_max: 512 << 20,
            group_cache_bytes_max: 128 << 20,
            row_cache_bytes_max: 64 << 20,
            scratch_bytes_max: 64 << 30,
            reserve_bytes: 0,
            ..StoreSettings::browser()
        }
    }
}
