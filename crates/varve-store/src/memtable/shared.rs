//! A memtable of the store: the rows of every commit between two freezes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use roaring::RoaringBitmap;
use varve_sort::VecMap;
use varve_types::{Broken, Invariant, RunId, TreeId};

use crate::memtable::RowTable;
use crate::run::RunTrace;

/// Where a flush put the versions of a tree.
pub(crate) struct FlushMap {
    runs: Vec<Arc<RunTrace>>,
    places: FlushPlaces,
}

/// By version the place of its row, while runs are still being written.
pub(crate) struct FlushPlaces {
    /// `u32::MAX` for versions that were deleted before the flush.
    ordinals: Vec<u32>,
    /// Which of the runs; empty as long as there is one.
    runs: Vec<u32>,
}

impl FlushPlaces {
    /// Of so many versions, none of which has a place yet.
    pub(crate) fn new(versions: usize) -> FlushPlaces {
        FlushPlaces {
            ordinals: vec![u32::MAX; versions],
            runs: Vec::new(),
        }
    }

    /// Gives a version a place in run number `run`.
    pub(crate) fn set(&mut self, version: u32, run: u32, ordinal: u32) -> Result<(), Broken> {
        if run > 0 && self.runs.is_empty() {
            self.runs = vec![0; self.ordinals.len()];
        }
        let at = version as usize;
        if let Some(slot) = self.runs.get_mut(at) {
            *slot = run;
        }
        let slot = self.ordinals.get_mut(at);
        *slot.or_broken("version of a flush")? = ordinal;
        Ok(())
    }
}

impl FlushMap {
    pub(crate) fn new(runs: Vec<Arc<RunTrace>>, places: FlushPlaces) -> FlushMap {
        FlushMap { runs, places }
    }

    /// The row of a version, if it was written.
    pub(crate) fn place(&self, version: u32) -> Option<(&Arc<RunTrace>, u32)> {
        let at = version as usize;
        let ordinal = *self.places.ordinals.get(at)?;
        let run = self.places.runs.get(at).copied().unwrap_or(0);
        let run = self.runs.get(run as usize)?;
        (ordinal != u32::MAX).then_some((run, ordinal))
    }

    /// The rows of versions for which `is_wanted`, by run.
    pub(crate) fn rows_of(&self, is_wanted: impl Fn(u32) -> bool) -> VecMap<RunId, RoaringBitmap> {
        let mut rows: VecMap<RunId, RoaringBitmap> = VecMap::new();
        for version in (0..).take(self.places.ordinals.len()) {
            if let Some((run, ordinal)) = self.place(version).filter(|_| is_wanted(version)) {
                rows.entry(run.id).or_default().insert(ordinal);
            }
        }
        rows
    }
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
        self.flushed.get()?.get(&tree)?.place(version)
    }
}
