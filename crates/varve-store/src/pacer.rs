//! Keeps stretches of work between two yields short.

use std::sync::Arc;

use varve_run::{FinishedRun, RunWriter};
use varve_types::{Env, Result};

/// Watches the clock over a loop of small steps.
pub(crate) struct Pacer {
    env: Arc<dyn Env>,
    started_us: u64,
}

impl Pacer {
    pub(crate) fn new(env: &Arc<dyn Env>) -> Pacer {
        Pacer {
            started_us: env.monotonic_us(),
            env: Arc::clone(env),
        }
    }

    /// Gives others a turn if half of a slice has passed: the next step may take as long again.
    pub(crate) async fn pause(&mut self) {
        let worked_us = self.env.monotonic_us().saturating_sub(self.started_us);
        if worked_us >= self.env.slice_us() / 2 {
            self.env.yield_now().await;
            self.started_us = self.env.monotonic_us();
        }
    }
    /// Encodes the groups of a run that are full, column by column.
    pub(crate) async fn encode(&mut self, writer: &mut RunWriter) -> Result<()> {
        while writer.step()? {
            self.pause().await;
        }
        Ok(())
    }

    /// Ends a run.
    pub(crate) async fn finish(&mut self, mut writer: RunWriter) -> Result<FinishedRun> {
        writer.end_rows()?;
        self.encode(&mut writer).await?;
        Ok(writer.finish()?)
    }
}
