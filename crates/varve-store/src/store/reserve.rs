//! Space kept for what frees some, where the backend keeps none for that.
//!
//! A value that nobody reads lies in scratch space, so every open deletes it. The first commit of
//! new rows to a store that is not small writes it. Where the storage is full it is deleted for
//! whatever does not add rows, and no rows are added before it fits again.

use core::sync::atomic::Ordering;

use varve_kv::{Bytes, Durability, KvError, WriteBatch};
use varve_types::LocalFuture;

use crate::format::keys;
use crate::store::Store;

impl Store {
    /// Whether only what frees space should be written. Makes the reserve where it is due, unless
    /// the storage was full a moment ago.
    pub(crate) fn is_nearly_full(&self) -> LocalFuture<'_, bool> {
        Box::pin(async move {
            if self.refuses_rows() {
                return true;
            }
            let has_room = if self.is_storage_full() {
                self.finds_room().await
            } else {
                self.make_reserve().await
            };
            // Of another error whoever writes next is told.
            let is_nearly_full = has_room == Ok(false);
            if is_nearly_full {
                self.set_full();
            }
            is_nearly_full
        })
    }

    pub(crate) fn has_reserve(&self) -> bool {
        self.has_reserve.load(Ordering::Relaxed)
    }

    /// Makes the reserve, if it is due; whether there is room.
    async fn make_reserve(&self) -> Result<bool, KvError> {
        let bytes = self.settings.reserve_bytes;
        let is_due =
            self.keeps_reserve() && !self.has_reserve() && self.state().stored_bytes() >= bytes / 2;
        if is_due {
            let mut batch = WriteBatch::new();
            batch.put(keys::reserve(), noise(bytes, self.env.random_u64()));
            if !fits(self.change_reserve(batch).await)? {
                return Ok(false);
            }
            self.has_reserve.store(true, Ordering::Relaxed);
        }
        Ok(!self.kv.is_nearly_full())
    }

    /// Whether a storage that was full has room again, for the reserve and as much besides: less
    /// would soon be full again.
    pub(crate) fn finds_room(&self) -> LocalFuture<'_, Result<bool, KvError>> {
        Box::pin(async move {
            if self.keeps_reserve() {
                let bytes = Bytes::from(noise(self.settings.reserve_bytes, self.env.random_u64()));
                let mut batch = WriteBatch::new();
                batch.put(keys::reserve(), bytes.clone());
                batch.put(keys::look(), bytes);
                if !fits(self.change_reserve(batch).await)? {
                    return Ok(false);
                }
                self.has_reserve.store(true, Ordering::Relaxed);
                let mut batch = WriteBatch::new();
                batch.delete(keys::look());
                self.change_reserve(batch).await?;
            }
            Ok(!self.kv.is_nearly_full())
        })
    }

    fn keeps_reserve(&self) -> bool {
        self.settings.scratch_bytes_max > 0 && self.settings.reserve_bytes > 0
    }

    /// Deletes the reserve; whether there was one.
    pub(crate) async fn give_up_reserve(&self) -> bool {
        if !self.has_reserve() {
            return false;
        }
        let mut batch = WriteBatch::new();
        batch.delete(keys::reserve());
        let is_gone = self.change_reserve(batch).await.is_ok();
        self.has_reserve.fetch_and(!is_gone, Ordering::Relaxed);
        is_gone
    }

    fn change_reserve(&self, mut batch: WriteBatch) -> LocalFuture<'_, Result<(), KvError>> {
        batch.guard(self.epoch.guard());
        self.kv.commit(batch, Durability::Relaxed)
    }
}

/// Whether a write found space.
fn fits(written: Result<(), KvError>) -> Result<bool, KvError> {
    match written {
        Ok(()) => Ok(true),
        Err(KvError::StorageFull) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Bytes that no backend makes smaller.
fn noise(bytes: u64, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let next = |_| {
        // The high bits of such a sequence are the ones that look random.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state.to_be_bytes()[0]
    };
    (0..bytes).map(next).collect()
}
