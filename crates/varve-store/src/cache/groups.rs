//! The second cache: what was made of the pages of a group, so that it is not made again. Indexes
//! are parsed, shared parts and the keys of vectors decoded, a general stage is undone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_run::{GroupParts, RunError, RunHead};
use varve_types::{MemoryAccount, RunId};

use crate::cache::lru::{CacheStats, Lru};

/// A group of a run.
type GroupId = (RunId, u32);

/// The parts of groups, under the memory account.
pub(crate) struct GroupCache(Mutex<Lru<GroupId, Arc<GroupParts>>>);

impl GroupCache {
    pub(crate) fn new(bytes_max: u64, account: Arc<dyn MemoryAccount>) -> GroupCache {
        GroupCache(Mutex::new(Lru::new(bytes_max, account)))
    }

    fn groups(&self) -> MutexGuard<'_, Lru<GroupId, Arc<GroupParts>>> {
        // No step under this lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is there of a group; nothing yet where it was not asked for. Whoever made something of
    /// it calls [`GroupCache::book`].
    pub(crate) fn parts(&self, head: &RunHead, group: usize) -> Result<Arc<GroupParts>, RunError> {
        let number = u32::try_from(group).map_err(|_| RunError::Mismatch("group"))?;
        let id = (head.run(), number);
        let mut groups = self.groups();
        if let Some(parts) = groups.get(&id) {
            return Ok(Arc::clone(parts));
        }
        let parts = Arc::new(GroupParts::new(head, group)?);
        groups.put(id, Arc::clone(&parts), parts.take_growth().unwrap_or(0));
        Ok(parts)
    }

    /// Books what was made of a group since it was opened or last booked.
    pub(crate) fn book(&self, run: RunId, group: usize, parts: &GroupParts) {
        if let Some(bytes) = parts.take_growth()
            && let Ok(group) = u32::try_from(group)
        {
            self.groups().grow(&(run, group), bytes);
        }
    }

    /// Gives up groups of at least so many bytes, or all; returns how many.
    pub(crate) fn release(&self, bytes: u64) -> u64 {
        self.groups().release(bytes)
    }

    /// Drops the groups of a run that is gone.
    pub(crate) fn forget_run(&self, run: RunId) {
        self.groups().retain(|(of, _)| *of != run);
    }

    pub(crate) fn set_bytes_max(&self, bytes_max: u64) {
        self.groups().set_bytes_max(bytes_max);
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.groups().stats()
    }
}
