//! What a store tells of itself.

use varve_types::ColumnId;

/// How the rows of a tree are stored, as of the newest commit.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TreeStorage {
    /// Number of runs.
    pub runs: u64,
    /// Rows in all, those in the memtable included.
    pub rows: u64,
    /// Rows that are in the memtable and the log only.
    pub memtable_rows: u64,
    /// Rows of runs that are deleted, yet take space.
    pub marked_rows: u64,
    /// The columns in the order of a row.
    pub columns: Vec<ColumnStorage>,
    /// Bytes of all runs: pages, indexes, filters and heads.
    pub total_bytes: u64,
}

/// How one column is stored in the runs of its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnStorage {
    /// The column.
    pub column: ColumnId,
    /// Bytes of its pages as stored.
    pub stored_bytes: u64,
    /// Bytes of its vectors before the general stage.
    pub encoded_bytes: u64,
    /// The names of the encodings that its vectors use, each once, in a fixed order.
    pub encodings: Vec<&'static str>,
}

/// Counters of a store since it was opened, and what it holds now.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StoreStats {
    /// The sequence of the newest commit.
    pub last_commit: u64,
    /// Commits that wrote.
    pub commits: u64,
    /// Commits refused with 40001.
    pub conflicts: u64,
    /// Flushes that published.
    pub flushes: u64,
    /// Bytes of pages and heads that flushes and transactions wrote.
    pub run_bytes_written: u64,
    /// Values in the log.
    pub log_values: u64,
    /// Bytes of the memtable.
    pub memtable_bytes: u64,
    /// Runs in all trees.
    pub runs: u64,
    /// Pages found in the page cache.
    pub cache_hits: u64,
    /// Pages that had to be read.
    pub cache_misses: u64,
    /// Pages that made room for others.
    pub cache_evictions: u64,
    /// Bytes in the page cache.
    pub cache_bytes: u64,
    /// Bytes in scratch space.
    pub scratch_bytes: u64,
    /// Why the last flush failed, if it did; the next commit tries again.
    pub flush_error: Option<String>,
}
