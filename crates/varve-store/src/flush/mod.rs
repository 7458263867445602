//! Flush: the rows of the frozen memtable become runs, marks become bitmaps, the log loses what is
//! then in runs.
//!
//! A commit that finds the active memtable full freezes it, without I/O. Its rows are written to
//! runs while others commit, under the lock `Store::flushing` only. The end takes the turn: one
//! strict commit publishes the runs and what happened meanwhile to the rows in them.

mod due;
mod install;
mod room;
mod write;

use std::sync::Arc;

use varve_types::Result;

use crate::jobs::Hurry;
use crate::{JobControl, Store};

pub(crate) use due::due;

impl Store {
    /// Writes all that is committed so far to runs, and deletes it from the log. Others may commit
    /// meanwhile.
    pub async fn flush(self: &Arc<Store>) -> Result<()> {
        let through = self.state().last;
        loop {
            {
                let _turn = self.take_turn().await;
                let mut state = self.state();
                state.check_usable()?;
                if state.manifest.flushed >= through {
                    break;
                }
                state.freeze();
            }
            self.help_to_flush().await?;
        }
        let _turn = self.take_turn().await;
        self.reap().await
    }

    /// Writes the frozen memtable out for a request that cannot go on before, or waits for who is
    /// at it. The caller must not have the turn.
    pub(crate) async fn help_to_flush(self: &Arc<Store>) -> Result<()> {
        let _hurry = Hurry::new(&self.jobs);
        self.flush_frozen(&mut JobControl::of_request(self)).await
    }

    /// Writes the frozen memtable out, if there is one. The caller must not have the turn.
    async fn flush_frozen(self: &Arc<Store>, control: &mut JobControl) -> Result<()> {
        let _flushing = self.flushing.lock().await;
        let frozen = {
            let _turn = self.take_turn().await;
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
