//! The backend that keeps everything in an ordered map: `memory://` stores, and the model that
//! tests compare with.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::state::{self, Entries};
use crate::{
    Bytes, Durability, Entry, GuardOutcome, Key, Kv, KvError, LocalFuture, ReadResult, Scan,
    WriteBatch,
};

/// A store in memory. Every call is carried out at the first poll of its future, so commits happen
/// in the order of their first polls.
///
/// The entries live as long as any handle to them; [`MemoryKv::reopen`] gives a further handle, as
/// a backend on disk would after a restart.
#[derive(Default)]
pub struct MemoryKv {
    entries: Arc<Mutex<Entries>>,
    closed: AtomicBool,
}

impl MemoryKv {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new open handle to the same entries, whether or not this one is closed.
    pub fn reopen(&self) -> Self {
        Self {
            entries: Arc::clone(&self.entries),
            closed: AtomicBool::new(false),
        }
    }

    /// The bytes of all keys and values.
    pub fn bytes(&self) -> u64 {
        let entries = lock(&self.entries);
        entries
            .iter()
            .map(|(key, value)| state::entry_bytes(key, value))
            .sum()
    }

    fn open_entries(&self) -> Result<MutexGuard<'_, Entries>, KvError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(KvError::Closed);
        }
        Ok(lock(&self.entries))
    }

    fn commit_now(&self, batch: &WriteBatch) -> Result<(), KvError> {
        let mut entries = self.open_entries()?;
        if let Some(guard) = &batch.guard {
            let found = entries.get(guard.key());
            match batch.check_guard(found.map(|value| &**value)) {
                GuardOutcome::Apply => {}
                GuardOutcome::AlreadyApplied => return Ok(()),
                GuardOutcome::Mismatch => {
                    return Err(KvError::GuardMismatch {
                        key: guard.key().clone(),
                        found: found.cloned(),
                    });
                }
            }
        }
        state::apply(&mut entries, &batch.writes);
        Ok(())
    }
}

impl Kv for MemoryKv {
    fn get_many<'a>(
        &'a self,
        keys: &'a [Key],
    ) -> LocalFuture<'a, Result<Vec<Option<Bytes>>, KvError>> {
        Box::pin(async move {
            let entries = self.open_entries()?;
            Ok(keys.iter().map(|key| entries.get(key).cloned()).collect())
        })
    }

    fn scan<'a>(&'a self, scan: &'a Scan) -> LocalFuture<'a, Result<Vec<Entry>, KvError>> {
        Box::pin(async move { Ok(state::scan(&*self.open_entries()?, scan)) })
    }

    fn read<'a>(
        &'a self,
        gets: &'a [Key],
        scan: Option<&'a Scan>,
    ) -> LocalFuture<'a, Result<ReadResult, KvError>> {
        Box::pin(async move {
            let entries = self.open_entries()?;
            Ok(ReadResult {
                values: gets.iter().map(|key| entries.get(key).cloned()).collect(),
                entries: scan
                    .map(|scan| state::scan(&entries, scan))
                    .unwrap_or_default(),
            })
        })
    }

    fn commit(
        &self,
        batch: WriteBatch,
        _durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move { self.commit_now(&batch) })
    }

    fn close(&self) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move {
            self.closed.store(true, Ordering::Release);
            Ok(())
        })
    }
}

impl fmt::Debug for MemoryKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryKv")
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

/// No step under this lock can panic half-way, so a poisoned map is a whole one.
fn lock(entries: &Mutex<Entries>) -> MutexGuard<'_, Entries> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}
