//! Bugs that are planted to see whether the simulation finds them: what a store that has them would
//! ask of its backend.

use core::fmt;
use core::str::FromStr;
use std::sync::Arc;

use varve_kv::fault::FaultKv;
use varve_kv::{
    Bytes, Durability, Entry, Key, Kv, KvError, LocalFuture, MemoryKv, ReadResult, Scan, Write,
    WriteBatch,
};

/// A planted bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bug {
    /// The store as it is.
    #[default]
    None,
    /// No commit is guarded by the epoch.
    GuardIgnored,
    /// What was written under an intent is never deleted.
    SweepSkipped,
    /// A compaction forgets what was deleted while it ran.
    DeletionLost,
}

impl FromStr for Bug {
    type Err = String;

    fn from_str(name: &str) -> Result<Bug, String> {
        match name {
            "guard-ignored" => Ok(Bug::GuardIgnored),
            "sweep-skipped" => Ok(Bug::SweepSkipped),
            "deletion-lost" => Ok(Bug::DeletionLost),
            _ => Err(format!("there is no bug {name}")),
        }
    }
}

/// A bug of the store itself, while it lives.
pub(crate) struct Planted;

impl Planted {
    pub(crate) fn new(bug: Bug) -> Planted {
        varve_store::planted::lose_deletions(bug == Bug::DeletionLost);
        Planted
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        varve_store::planted::lose_deletions(false);
    }
}

impl Bug {
    fn edit(self, batch: &mut WriteBatch) {
        match self {
            // The store itself has the last one.
            Bug::None | Bug::DeletionLost => {}
            Bug::GuardIgnored => batch.guard = None,
            Bug::SweepSkipped => {
                // Heads, deletion vectors and values of runs are only ever deleted by range.
                let is_of_run = |write: &Write| match write {
                    Write::DeleteRange(range) => range
                        .start
                        .first()
                        .is_some_and(|kind| b"hmr".contains(kind)),
                    _ => false,
                };
                let is_sweep = batch.writes.iter().any(|write| match write {
                    Write::DeleteRange(range) => range.start == b"s",
                    _ => false,
                });
                if is_sweep {
                    batch.writes.retain(|write| !is_of_run(write));
                }
            }
        }
    }
}

/// The faulty backend as one handle of a store sees it.
pub(crate) struct SimKv {
    pub(crate) inner: Arc<FaultKv<MemoryKv>>,
    pub(crate) bug: Bug,
}

impl Kv for SimKv {
    fn get_many<'a>(
        &'a self,
        keys: &'a [Key],
    ) -> LocalFuture<'a, Result<Vec<Option<Bytes>>, KvError>> {
        self.inner.get_many(keys)
    }

    fn scan<'a>(&'a self, scan: &'a Scan) -> LocalFuture<'a, Result<Vec<Entry>, KvError>> {
        self.inner.scan(scan)
    }

    fn read<'a>(
        &'a self,
        gets: &'a [Key],
        scan: Option<&'a Scan>,
    ) -> LocalFuture<'a, Result<ReadResult, KvError>> {
        self.inner.read(gets, scan)
    }

    fn commit(
        &self,
        mut batch: WriteBatch,
        durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        self.bug.edit(&mut batch);
        self.inner.commit(batch, durability)
    }

    /// Other handles go on.
    fn close(&self) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async { Ok(()) })
    }
}

impl fmt::Debug for SimKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimKv")
            .field("bug", &self.bug)
            .finish_non_exhaustive()
    }
}
