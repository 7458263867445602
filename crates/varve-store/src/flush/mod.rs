//! Flush: the rows of the frozen memtable become runs, deletions become bitmaps, the log loses what
//! is then in runs.
//!
//! # Freeze
//!
//! Whoever leads a group of commits and finds the memtable or its log full puts an empty memtable
//! in its place, without I/O (`room.rs`). Snapshots pin both; a row that is alive is in one of them
//! at most. While another memtable is frozen still, the leader gives the commit lock up and helps
//! to flush that one first, so memory and log stay bounded whoever runs jobs.
//!
//! A full disk stops commits only at twice the bound, since deletes are what would help. New rows
//! stop earlier, while the space that is kept for deletes is there (`store/reserve.rs`, or the
//! backend's own).
//!
//! # Write
//!
//! A flush is a job, and takes the commit lock only at its end. The newest rows of each tree as of
//! the freeze become a run (`write.rs`). Its values are written under an intent, in strict batches
//! of at most 4 MiB, while others commit; only the lock `Store::flushing` is held.
//!
//! # Install
//!
//! One strict commit under the commit lock (`install.rs`) writes the deletion vectors of all runs
//! as bitmaps under new keys, the catalog of the freeze if it has changed, and the manifest. The
//! same commit deletes the intent and the log up to the freeze.
//!
//! Rows that were deleted since the freeze are in the new run's deletion vector in that commit. The
//! log still has their deletes by key; replay skips them where it does not find the row and
//! `deletions_through` says that a deletion vector took their place. Older snapshots go on reading
//! what they pinned. Commits of transactions that began before translate memtable versions to rows
//! of the run (`FlushMap`).

mod due;
mod install;
mod room;
mod write;

use std::sync::Arc;

use crate::error::Result;
use crate::store::{Hurry, JobControl, Store};

pub(crate) use due::due;

impl Store {
    /// Writes all that is committed so far to runs, and deletes it from the log. Others may commit
    /// meanwhile.
    pub async fn flush(self: &Arc<Store>) -> Result<()> {
        let through = self.state().last;
        loop {
            {
                let _commit_lock = self.take_commit_lock().await;
                let mut state = self.state();
                state.check_usable()?;
                if state.manifest.flushed >= through {
                    break;
                }
                state.freeze();
            }
            self.help_to_flush().await?;
        }
        let _commit_lock = self.take_commit_lock().await;
        self.reap().await
    }

    /// Writes the frozen memtable out for a request that cannot go on before, or waits for who is
    /// at it. The caller must not hold the commit lock.
    pub(crate) async fn help_to_flush(self: &Arc<Store>) -> Result<()> {
        let _hurry = Hurry::new(&self.jobs);
        self.flush_frozen(&mut JobControl::of_request(self)).await
    }

    /// Writes the frozen memtable out, if there is one. The caller must not hold the commit lock.
    async fn flush_frozen(self: &Arc<Store>, control: &mut JobControl) -> Result<()> {
        let _flushing = self.flushing.lock().await;
        let frozen = {
            let _commit_lock = self.take_commit_lock().await;
            self.state().check_usable()?;
            // What an attempt before this one left may be what fills the storage.
            self.reap().await?;
            self.state().frozen.clone()
        };
        let Some(frozen) = frozen else {
            return Ok(());
        };
        let done = match self.write_frozen(&frozen, control).await {
            Ok(written) => self.install(&frozen, written).await,
            Err(error) => Err(error),
        };
        // Runs may be due to be merged.
        self.wake_jobs();
        let mut state = self.state();
        state.counters.flush_error = done.as_ref().err().map(ToString::to_string);
        state.counters.flushes += u64::from(done.is_ok());
        done
    }
}
