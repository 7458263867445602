//! Runs are encoded in small steps, between which others run.

use varve_run::{FinishedRun, RunWriter};
use varve_types::Pacer;

use crate::error::Result;

/// Encodes the groups of a run that are full, column by column.
pub(crate) async fn encode(writer: &mut RunWriter, pacer: &mut Pacer) -> Result<()> {
    while writer.step()? {
        pacer.pause().await;
    }
    Ok(())
}

/// Ends a run.
pub(crate) async fn finish(mut writer: RunWriter, pacer: &mut Pacer) -> Result<FinishedRun> {
    writer.end_rows()?;
    encode(&mut writer, pacer).await?;
    Ok(writer.finish()?)
}
