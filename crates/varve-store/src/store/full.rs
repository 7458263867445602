//! Whether the storage is full, as far as the last writes tell.
//!
//! Once the backend has answered so, rows that would be added are refused without asking it again,
//! and what frees space goes on in the reserve (`reserve.rs`). The next rows are tried when the
//! store has deleted something, or after a while, since others may have freed space or the quota
//! may have grown. Nobody may come with rows, so the job runner looks for room too, ever more
//! seldom. A look is the reserve where there is a place for one, else the answer of the backend.

use std::sync::{Mutex, MutexGuard, PoisonError};

use varve_kv::KvError;

use crate::error::Result;
use crate::store::Store;

/// So long no rows are tried, unless the store has freed space.
const RETRY_US: u64 = 1_000_000;
/// The job runner waits twice as long after each look, but not longer than this.
const LOOK_MAX_US: u64 = 60_000_000;

/// What is known of the space that is left.
#[derive(Default)]
pub(crate) struct Fullness {
    /// Nothing where there is room.
    full: Mutex<Option<Full>>,
}

/// A storage that was full at the last try.
#[derive(Clone, Copy)]
struct Full {
    /// When rows are tried again.
    rows_at_us: u64,
    /// When the job runner looks.
    look_at_us: u64,
    /// How long it waited for that.
    look_after_us: u64,
}

impl Full {
    fn new(now_us: u64) -> Full {
        let at_us = now_us.saturating_add(RETRY_US);
        Full {
            rows_at_us: at_us,
            look_at_us: at_us,
            look_after_us: RETRY_US,
        }
    }
}

impl Fullness {
    fn full(&self) -> MutexGuard<'_, Option<Full>> {
        self.full.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the job runner is to look for room.
    pub(crate) fn look_at_us(&self) -> Option<u64> {
        self.full().map(|full| full.look_at_us)
    }
}

impl Store {
    /// Whether the storage was full at the last try: rows are then not added, but all else goes on.
    pub fn is_storage_full(&self) -> bool {
        self.fullness.full().is_some()
    }

    /// Refuses what adds rows where the storage is full and no try is due.
    pub(crate) fn check_room(&self) -> Result<()> {
        if self.refuses_rows() {
            return Err(KvError::StorageFull.into());
        }
        Ok(())
    }

    pub(crate) fn refuses_rows(&self) -> bool {
        let full = *self.fullness.full();
        full.is_some_and(|full| self.env.monotonic_us() < full.rows_at_us)
    }

    /// The backend had no space, or keeps the rest for what frees some.
    pub(crate) fn set_full(&self) {
        let next = Full::new(self.env.monotonic_us());
        let mut full = self.fullness.full();
        if let Some(full) = &mut *full {
            full.rows_at_us = next.rows_at_us;
            return;
        }
        *full = Some(next);
        drop(full);
        self.env.storage_changed(true);
        self.wake_jobs();
    }

    /// The backend had no space for a batch of so many bytes that adds rows. One that takes more
    /// than the reserve, which is still there, was too much by itself: others may fit.
    pub(crate) fn set_full_by(&self, bytes: u64) {
        if !self.has_reserve() || bytes <= self.settings.reserve_bytes {
            self.set_full();
        }
    }

    /// Rows can be added, as far as is known.
    pub(crate) fn set_available(&self) {
        if self.fullness.full().take().is_some() {
            self.env.storage_changed(false);
        }
    }

    /// Something was deleted: the next rows are tried, whatever a look finds now, as a backend may
    /// give space back a little later.
    pub(crate) fn note_deleted(&self) {
        if let Some(full) = &mut *self.fullness.full() {
            *full = Full {
                rows_at_us: 0,
                ..Full::new(self.env.monotonic_us())
            };
        }
    }

    /// Pages were deleted. The caller holds the commit lock.
    pub(crate) async fn look_for_room(&self) {
        if self.is_storage_full() && self.finds_room().await == Ok(true) {
            self.set_available();
        }
    }

    /// Looks for room, if it is time.
    pub(crate) async fn look_for_room_if_due(&self, now_us: u64) -> bool {
        let look_at_us = self.fullness.look_at_us();
        if look_at_us.is_none_or(|at_us| now_us < at_us) || self.state().failure.is_some() {
            return false;
        }
        let _commit_lock = self.take_commit_lock().await;
        if self.is_storage_full() && self.finds_room().await == Ok(true) {
            self.set_available();
        } else if let Some(full) = &mut *self.fullness.full() {
            full.look_after_us = full.look_after_us.saturating_mul(2).min(LOOK_MAX_US);
            full.look_at_us = self.env.monotonic_us().saturating_add(full.look_after_us);
        }
        true
    }
}
