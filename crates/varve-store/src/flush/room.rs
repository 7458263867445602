//! Room for the next commits: who freezes the memtable, and who waits for a flush.

use std::sync::Arc;

use futures_util::lock::MutexGuard as CommitLockGuard;
use varve_types::Failure;

use crate::error::{Result, StoreError};
use crate::store::{Room, Store};

impl Store {
    /// The commit lock, with room for commits of so many bytes. A full memtable is frozen; while
    /// another one is frozen already, the caller gives the commit lock up and helps to flush that
    /// first, so that memory and log stay bounded whoever else runs flushes.
    ///
    /// A full disk does not stop commits at once, since deletes are what would help: only what
    /// would pass a bound twice over is refused.
    pub(crate) async fn make_room<'a>(
        self: &'a Arc<Store>,
        mut commit_lock: CommitLockGuard<'a, ()>,
        coming_bytes: impl Fn() -> u64,
    ) -> Result<CommitLockGuard<'a, ()>> {
        let mut refused: Option<StoreError> = None;
        loop {
            match (self.freeze_if_due(coming_bytes())?, refused) {
                (Room::Full, Some(error)) => return Err(error),
                (Room::Enough, _) | (Room::Tight, Some(_)) => return Ok(commit_lock),
                (Room::Tight | Room::Full, None) => {}
            }
            drop(commit_lock);
            refused = match self.help_to_flush().await {
                Err(error) if error.failure() == Some(Failure::StorageFull) => Some(error),
                answer => answer.map(|()| None)?,
            };
            commit_lock = self.take_commit_lock().await;
        }
    }

    /// Freezes the memtable if commits of so many bytes do not fit. The caller holds the commit
    /// lock.
    fn freeze_if_due(&self, coming_bytes: u64) -> Result<Room> {
        let mut state = self.state();
        state.check_usable()?;
        if state.room_for(coming_bytes, &self.settings) != Room::Enough {
            state.freeze();
            self.wake_jobs();
        }
        let room = state.room_for(coming_bytes, &self.settings);
        let held_bytes = state.memtables().bytes();
        if room != Room::Enough || held_bytes == 0 {
            return Ok(room);
        }
        let bytes = held_bytes.saturating_add(coming_bytes);
        let fits = self.reserve(&mut state.memtable_bytes, bytes).is_ok();
        state.book_memtables();
        if fits {
            return Ok(Room::Enough);
        }
        state.freeze();
        Ok(Room::Tight)
    }
}
