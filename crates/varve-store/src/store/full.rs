//! Whether the storage is full, as far as the last writes tell.
//!
//! Once the backend has answered so, rows that would be added are refused without asking it again,
//! and what frees space goes on in the reserve (`reserve.rs`). The next try is due when the store
//! has deleted something, or after a while, since others may have freed space or the quota may have
//! grown. A try is the reserve where that is to be written again, else the rows themselves.

use std::sync::{Mutex, MutexGuard, PoisonError};

use varve_kv::KvError;

use crate::error::Result;
use crate::store::Store;

/// So long nothing is tried, unless the store has freed space.
const RETRY_US: u64 = 1_000_000;

/// What is known of the space that is left.
#[derive(Default)]
pub(crate) struct Fullness {
    /// When the next try is due; nothing where there is room.
    retry_at_us: Mutex<Option<u64>>,
}

impl Fullness {
    fn retry_at_us(&self) -> MutexGuard<'_, Option<u64>> {
        let retry_at_us = self.retry_at_us.lock();
        retry_at_us.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Whether the storage was full at the last try: rows are then not added, but all else goes on.
    pub fn is_storage_full(&self) -> bool {
        self.fullness.retry_at_us().is_some()
    }

    /// Refuses what adds rows where the storage is full and no try is due.
    pub(crate) fn check_room(&self) -> Result<()> {
        if self.refuses_rows() {
            return Err(KvError::StorageFull.into());
        }
        Ok(())
    }

    pub(crate) fn refuses_rows(&self) -> bool {
        let retry_at_us = *self.fullness.retry_at_us();
        retry_at_us.is_some_and(|at_us| self.env.monotonic_us() < at_us)
    }

    /// The backend had no space, or keeps the rest for what frees some.
    pub(crate) fn set_full(&self) {
        let next_us = self.env.monotonic_us().saturating_add(RETRY_US);
        if self.fullness.retry_at_us().replace(next_us).is_none() {
            self.env.storage_changed(true);
        }
    }

    /// Rows can be added, as far as is known.
    pub(crate) fn set_available(&self) {
        if self.fullness.retry_at_us().take().is_some() {
            self.env.storage_changed(false);
        }
    }

    /// Something was deleted. The caller holds the commit lock.
    pub(crate) async fn look_for_room(&self) {
        if let Some(at_us) = &mut *self.fullness.retry_at_us() {
            *at_us = 0;
        } else {
            return;
        }
        if !self.is_nearly_full().await {
            self.set_available();
        }
    }
}
