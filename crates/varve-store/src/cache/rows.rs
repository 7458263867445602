//! The row cache: rows of runs that were looked up by key.
//!
//! An entry is exact: it names the run and the row there, which never changes. It answers for every
//! snapshot whose version has the run and that sees the row alive, since a key has one such row.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_types::{MemoryAccount, RunId, TreeId};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::cache::lru::{CacheStats, Lru};

/// Rows above this are not kept.
const ROW_BYTES_MAX: usize = 64 << 10;

/// A row of a run, or some columns of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CachedRow {
    pub(crate) run: RunId,
    pub(crate) ordinal: u32,
    tree: TreeId,
    key: Box<[u8]>,
    /// Which stored columns it has.
    columns: Box<[usize]>,
    /// Their values, as `format::row` writes rows.
    pub(crate) row: Box<[u8]>,
}

/// Rows by key, under the memory account.
pub(crate) struct RowCache(Mutex<Lru<u64, Arc<CachedRow>>>);

/// By this a row is found; the entry has tree, key and columns themselves.
fn hash((tree, key): (TreeId, &[u8]), columns: &[usize]) -> u64 {
    let mix = |hash: u64, column: &usize| (hash ^ *column as u64).wrapping_mul(0x9e37_79b9);
    xxh3_64_with_seed(key, columns.iter().fold(tree.0, mix))
}

impl CachedRow {
    pub(crate) fn new(
        (tree, key): (TreeId, &[u8]),
        (run, ordinal): (RunId, u32),
        columns: &[usize],
        row: &[u8],
    ) -> CachedRow {
        CachedRow {
            run,
            ordinal,
            tree,
            key: key.into(),
            columns: columns.into(),
            row: row.into(),
        }
    }

    fn bytes(&self) -> usize {
        size_of::<CachedRow>()
            + self.key.len()
            + self.row.len()
            + self.columns.len() * size_of::<usize>()
    }
}

impl RowCache {
    pub(crate) fn new(bytes_max: u64, account: Arc<dyn MemoryAccount>) -> RowCache {
        RowCache(Mutex::new(Lru::new(bytes_max, account)))
    }

    fn rows(&self) -> MutexGuard<'_, Lru<u64, Arc<CachedRow>>> {
        // No step under this lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// These columns of the row last seen under a key. Where the reader does not see that row it
    /// calls [`RowCache::miscounted`].
    pub(crate) fn get(
        &self,
        (tree, key): (TreeId, &[u8]),
        columns: &[usize],
    ) -> Option<Arc<CachedRow>> {
        let mut rows = self.rows();
        let row = rows.get(&hash((tree, key), columns))?;
        if row.tree == tree && *row.key == *key && *row.columns == *columns {
            return Some(Arc::clone(row));
        }
        rows.miscounted();
        None
    }

    /// A row that was found was of no use.
    pub(crate) fn miscounted(&self) {
        self.rows().miscounted();
    }

    /// Keeps a row in the place of another under its key.
    pub(crate) fn put(&self, row: CachedRow) {
        let bytes = row.bytes();
        if bytes <= ROW_BYTES_MAX {
            let hash = hash((row.tree, &row.key), &row.columns);
            self.rows().put(hash, Arc::new(row), bytes as u64);
        }
    }

    /// Gives up rows of at least so many bytes, or all; returns how many.
    pub(crate) fn release(&self, bytes: u64) -> u64 {
        self.rows().release(bytes)
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.rows().stats()
    }
}
