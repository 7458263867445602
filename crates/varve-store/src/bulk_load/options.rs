//! What a load is asked for, and what it answers.

/// How rows are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkLoadOptions {
    /// So many rows are looked at together: whether they are in order, whether their keys are new.
    pub batch_rows: usize,
    /// Whether the answer waits until the rows survive a crash. `false` asks for no more than a
    /// relaxed commit; one that publishes runs is strict all the same.
    pub sync_at_end: bool,
}

impl Default for BulkLoadOptions {
    fn default() -> BulkLoadOptions {
        BulkLoadOptions {
            batch_rows: 100_000,
            sync_at_end: true,
        }
    }
}

/// What a load did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BulkLoadReport {
    /// Rows loaded.
    pub rows: u64,
    /// Bytes that they take in storage, entries of indexes included.
    pub bytes: u64,
    /// From the begin of the load to the end of its commit, in microseconds.
    pub duration_us: u64,
    /// The greatest row id, or the greatest key where that is one integer column; `None` for other
    /// keys and without rows.
    pub max_row_id: Option<i64>,
}

impl BulkLoadReport {
    /// Rows in a second, at the speed of this load.
    pub fn rows_per_second(&self) -> u64 {
        let scaled = u128::from(self.rows) * 1_000_000 / u128::from(self.duration_us.max(1));
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}
