//! A memtable of the store: the rows of every commit between two freezes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use varve_sort::VecMap;
use varve_types::TreeId;

use crate::memtable::RowTable;
use crate::run::RunTrace;

/// Where a flush put the versions of a tree: the run, and by version the ordinal of its row.
pub(crate) struct FlushMap {
    pub(crate) run: Arc<RunTrace>,
    /// `u32::MAX` for versions that were deleted before the flush.
    pub(crate) ordinals: Vec<u32>,
}

/// Row versions of all trees. When it is full it is frozen: it takes no more rows, and a flush
/// writes it out as a whole. Rows of it may be deleted all the while; snapshots keep theirs.
#[derive(Default)]
pub(crate) struct Memtable {
    tables: Mutex<VecMap<TreeId, RowTable>>,
    bytes: AtomicU64,
    /// Set by the flush that wrote the rows out, for transactions that began before it.
    flushed: OnceLock<VecMap<TreeId, FlushMap>>,
}

impl Memtable {
    /// The tables; hold this only for a bounded number of rows.
    pub(crate) fn tables(&self) -> MutexGuard<'_, VecMap<TreeId, RowTable>> {
        // No step under this lock can panic half-way.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn set_flushed(&self, maps: VecMap<TreeId, FlushMap>) {
        // A memtable is flushed once: in the same step the state lets it go.
        let _ = self.flushed.set(maps);
    }

    /// Whether a flush has moved the rows.
    pub(crate) fn is_flushed(&self) -> bool {
        self.flushed.get().is_some()
    }

    /// Where a version went; `None` if it was deleted before the flush, or there was none yet.
    pub(crate) fn flushed_to(&self, tree: TreeId, version: u32) -> Option<(&Arc<RunTrace>, u32)> {
        let map = self.flushed.get()?.get(&tree)?;
        let ordinal = *map.ordinals.get(version as usize)?;
        (ordinal != u32::MAX).then_some((&map.run, ordinal))
    }
}
