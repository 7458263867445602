//! The settings of RocksDB that matter under our own caches and runs.

use rocksdb::{BlockBasedOptions, Cache, DBCompressionType, DBRecoveryMode, LogLevel, Options};

/// How a store is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RocksOptions {
    write_buffer_bytes: usize,
    block_cache_bytes: usize,
    background_jobs: i32,
}

impl Default for RocksOptions {
    fn default() -> Self {
        Self {
            write_buffer_bytes: 64 << 20,
            block_cache_bytes: 32 << 20,
            background_jobs: 2,
        }
    }
}

impl RocksOptions {
    /// Bytes that RocksDB gathers in memory before it writes a table file. Up to two such buffers
    /// exist at once.
    #[must_use]
    pub fn write_buffer_bytes(mut self, bytes: usize) -> Self {
        self.write_buffer_bytes = bytes;
        self
    }

    /// Bytes of blocks that RocksDB keeps in memory. The store above caches pages itself, so this
    /// serves indexes, filters and small values.
    #[must_use]
    pub fn block_cache_bytes(mut self, bytes: usize) -> Self {
        self.block_cache_bytes = bytes;
        self
    }

    /// Threads for flushes and compactions.
    #[must_use]
    pub fn background_jobs(mut self, jobs: i32) -> Self {
        self.background_jobs = jobs.max(1);
        self
    }

    pub(crate) fn to_rocksdb(&self, is_new: bool) -> Options {
        let mut blocks = BlockBasedOptions::default();
        blocks.set_block_cache(&Cache::new_lru_cache(self.block_cache_bytes));
        blocks.set_bloom_filter(10.0, false);
        // Each entry is a block of its own: a byte that changes costs no other entry. Most are
        // large.
        blocks.set_block_size(1);
        let mut options = Options::default();
        options.create_if_missing(is_new);
        options.set_block_based_table_factory(&blocks);
        options.set_write_buffer_size(self.write_buffer_bytes);
        options.set_max_background_jobs(self.background_jobs);
        options.set_compression_type(DBCompressionType::None);
        // A crash may lose a suffix of commits, never one from the middle; what may not be lost was
        // compared with the log before.
        options.set_wal_recovery_mode(DBRecoveryMode::PointInTime);
        options.set_keep_log_file_num(2);
        options.set_log_level(LogLevel::Warn);
        options
    }
}
