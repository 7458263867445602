//! Sort: sorted runs, spilled where they do not fit, and merged.

use std::rc::Rc;

use varve_plan::SortKeyExpr;
use varve_types::{Batch, LocalFuture, LogicalType, Reservation, Result};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::sort::{Merge, Run, SortBuffer, SortKeys, types_of};

/// A run is sorted in one go: this many rows take a few milliseconds.
const RUN_ROWS: usize = 16 * 1024;
const RUN_BYTES: usize = 8 * 1024 * 1024;
/// Spilled runs of one level that are merged into one of the next.
const FAN_IN: usize = 16;
/// One sort takes at most this part of the memory limit before it spills.
const LIMIT_SHARE: u64 = 2;

/// Reads its whole input, then gives it in order.
pub(crate) struct SortStream<'a> {
    running: Running<'a>,
    input: Option<Box<dyn BatchStream + 'a>>,
    keys: Rc<SortKeys<'a>>,
    types: Vec<LogicalType>,
    buffer: SortBuffer,
    runs: Vec<Run<'a>>,
    run_bytes: usize,
    spilled: Vec<SpilledRun<'a>>,
    booked: Reservation,
    merge: Option<Merge<'a>>,
}

struct SpilledRun<'a> {
    run: Run<'a>,
    /// How often its rows were merged.
    level: u32,
}

impl<'a> SortStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        keys: &'a [SortKeyExpr],
    ) -> SortStream<'a> {
        SortStream {
            booked: running.reservation(),
            running,
            input: Some(input),
            keys: Rc::new(SortKeys::new(keys)),
            types: Vec::new(),
            buffer: SortBuffer::default(),
            runs: Vec::new(),
            run_bytes: 0,
            spilled: Vec::new(),
            merge: None,
        }
    }

    async fn read_input(&mut self) -> Result<()> {
        while let Some(input) = &mut self.input {
            let Some(batch) = input.next().await? else {
                self.input = None;
                break;
            };
            let batch = self.keys.extend(&batch, &self.running.eval())?;
            self.add(batch).await?;
        }
        self.close_run();
        if !self.spilled.is_empty() && !self.runs.is_empty() {
            self.spill().await?;
        }
        let spilled = core::mem::take(&mut self.spilled).into_iter();
        let memory = core::mem::take(&mut self.runs);
        let runs = spilled.map(|spilled| spilled.run).chain(memory);
        self.merge = Some(Merge::new(
            Rc::clone(&self.keys),
            runs,
            self.running.reservation(),
        ));
        Ok(())
    }

    async fn add(&mut self, batch: Batch) -> Result<()> {
        if self.types.is_empty() {
            self.types = types_of(Some(&batch));
        }
        self.buffer.push(&self.keys, batch);
        if self.buffer.len() >= RUN_ROWS || self.buffer.memory_bytes() >= RUN_BYTES {
            self.close_run();
            self.running.checkpoint().await?;
        }
        let bytes = self.run_bytes + self.buffer.memory_bytes();
        let share = self.running.context.memory.limit_bytes() / LIMIT_SHARE;
        let fits = u64::try_from(bytes).is_ok_and(|bytes| bytes <= share);
        if !fits || book(&mut self.booked, bytes).is_err() {
            self.spill().await?;
        }
        Ok(())
    }

    /// Sorts what was collected into a run in memory.
    fn close_run(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let mut run = Run::new(self.types.clone());
        for batch in self.buffer.sort(usize::MAX) {
            self.run_bytes += batch.taken_over_bytes();
            run.push(batch);
        }
        self.runs.push(run);
    }

    /// Writes all that is in memory out as one run.
    async fn spill(&mut self) -> Result<()> {
        self.close_run();
        let runs = core::mem::take(&mut self.runs);
        let run = self.write_merged(runs).await?;
        self.spilled.push(SpilledRun { run, level: 0 });
        self.run_bytes = 0;
        book(&mut self.booked, 0)?;
        while let Some(level) = self.full_level() {
            let first = self.spilled.len() - FAN_IN;
            let runs = self.spilled.split_off(first);
            let run = self
                .write_merged(runs.into_iter().map(|spilled| spilled.run))
                .await?;
            self.spilled.push(SpilledRun {
                run,
                level: level + 1,
            });
        }
        Ok(())
    }

    /// The level of the last runs if there are enough of it to merge them.
    fn full_level(&self) -> Option<u32> {
        let first = self.spilled.len().checked_sub(FAN_IN)?;
        let last = self.spilled.get(first..)?;
        let level = last.first()?.level;
        last.iter()
            .all(|spilled| spilled.level == level)
            .then_some(level)
    }

    async fn write_merged(&self, runs: impl IntoIterator<Item = Run<'a>>) -> Result<Run<'a>> {
        let booked = self.running.reservation();
        let mut merge = Merge::new(Rc::clone(&self.keys), runs, booked);
        let mut merged = Run::new(self.types.clone());
        while let Some(batch) = merge.next().await? {
            self.running.checkpoint().await?;
            merged.spill(self.running.context.scratch, &batch).await?;
        }
        Ok(merged)
    }
}

impl BatchStream for SortStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            if self.merge.is_none() {
                self.read_input().await?;
            }
            self.running.checkpoint().await?;
            let Some(merge) = &mut self.merge else {
                return Ok(None);
            };
            let batch = merge.next().await?;
            Ok(batch.map(|batch| self.keys.strip(&batch)))
        })
    }
}

#[cfg(test)]
#[path = "sort_tests.rs"]
mod tests;
