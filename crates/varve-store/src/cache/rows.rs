//! The row cache: rows of runs that were looked up by key.
//!
//! An entry is exact: it names the run and the row there, which never changes. It answers for every
//! snapshot whose version has the run and that sees the row alive, since a key has one such row.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_types::{MemoryAccount, RunId, TreeId};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::cache::lru::{CacheStats, Lru};

/// What a row and each of its columns take beside their bytes, the same in every build.
const ROW_BYTES: usize = 72;
const COLUMN_BYTES: usize = 8;
const _: () = assert!(size_of::<CachedRow>() <= ROW_BYTES);

/// Rows above this are not kept.
const ROW_BYTES_MAX: usize = 64 << 10;

/// What is asked for: some columns of the row with a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowQuery<'a> {
    pub(crate) tree: TreeId,
    /// The schema by which the columns are counted.
    pub(crate) schema_version: u32,
    pub(crate) key: &'a [u8],
    /// Positions in the stored columns.
    pub(crate) columns: &'a [usize],
}

/// Some columns of a row of a run.
#[derive(Debug)]
pub(crate) struct CachedRow {
    pub(crate) run: RunId,
    pub(crate) ordinal: u32,
    /// The values, as `format::row` writes rows.
    pub(crate) row: Box<[u8]>,
    schema_version: u32,
    tree: TreeId,
    key: Box<[u8]>,
    columns: Box<[usize]>,
}

/// Rows by key, under the memory account.
pub(crate) struct RowCache(Mutex<Lru<u64, Arc<CachedRow>>>);

impl RowQuery<'_> {
    /// By this a row is found; the entry has the query itself.
    fn hash(&self) -> u64 {
        let mix = |hash: u64, number: u64| (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let seed = mix(self.tree.0, u64::from(self.schema_version));
        let columns = self.columns.iter();
        let seed = columns.fold(seed, |seed, column| mix(seed, *column as u64));
        xxh3_64_with_seed(self.key, seed)
    }
}

impl CachedRow {
    /// What answers a query: the row's place, and its values.
    pub(crate) fn new(
        query: RowQuery<'_>,
        (run, ordinal): (RunId, u32),
        row: Vec<u8>,
    ) -> CachedRow {
        CachedRow {
            run,
            ordinal,
            row: row.into(),
            schema_version: query.schema_version,
            tree: query.tree,
            key: query.key.into(),
            columns: query.columns.into(),
        }
    }

    fn query(&self) -> RowQuery<'_> {
        RowQuery {
            tree: self.tree,
            schema_version: self.schema_version,
            key: &self.key,
            columns: &self.columns,
        }
    }

    fn answers(&self, query: RowQuery<'_>) -> bool {
        self.tree == query.tree
            && self.schema_version == query.schema_version
            && *self.key == *query.key
            && *self.columns == *query.columns
    }

    fn bytes(&self) -> usize {
        ROW_BYTES + self.key.len() + self.row.len() + self.columns.len() * COLUMN_BYTES
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

    /// The row last seen. Where the reader does not see it it calls [`RowCache::miscounted`].
    pub(crate) fn get(&self, query: RowQuery<'_>) -> Option<Arc<CachedRow>> {
        let mut rows = self.rows();
        let row = rows.get(&query.hash())?;
        if row.answers(query) {
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
            let hash = row.query().hash();
            self.rows().put(hash, Arc::new(row), bytes as u64);
        }
    }

    /// Gives up rows of at least so many bytes, or all; returns how many.
    pub(crate) fn release(&self, bytes: u64) -> u64 {
        self.rows().release(bytes)
    }

    pub(crate) fn set_bytes_max(&self, bytes_max: u64) {
        self.rows().set_bytes_max(bytes_max);
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.rows().stats()
    }
}
