//! Compresses the values of columns under `zstd_values` that are stored as they were written, run
//! by run.

use std::sync::Arc;

use varve_codec::tags::{TAG_VALUES_CHOSEN, TAG_VALUES_DUE};
use varve_run::{ColumnSpec, ColumnStats, GroupReader, RunHead, ValueFrame, ValueFrames};
use varve_types::{Column, ColumnBuilder, ColumnId, Error, Failure, RunId, TreeId};

use crate::compaction::choose::Choice;
use crate::compaction::work::Steps;
use crate::error::{Result, StoreErrorKind};
use crate::read::{missing_column, run_position};
use crate::run::Run;
use crate::store::{JobControl, Pace, Store};
use crate::tree::Tree;
use crate::value_frames::{Rewrite, ValueFrameTotals};

impl Store {
    /// The runs of a tree with values that wait to be compressed: those that nobody chose a way
    /// for, and those that were left as they are and would not be now.
    ///
    /// What is in memory is not looked at: flush before.
    pub async fn values_due(
        self: &Arc<Store>,
        tree: TreeId,
        pace: Arc<dyn Pace>,
    ) -> Result<Vec<RunId>> {
        let (tree, runs) = {
            let state = self.state();
            let Some(shape) = state.catalog.tree(tree).map(Arc::clone) else {
                return Ok(Vec::new());
            };
            let runs = state.version.runs(tree).iter();
            let sound = runs.filter(|run| !state.damaged.contains(&run.id));
            (shape, sound.map(Arc::clone).collect::<Vec<Arc<Run>>>())
        };
        let frames = self.value_frames(&tree, Rewrite::Compress).await?;
        let mut control = JobControl::at_pace(self, pace);
        let mut due = Vec::new();
        for run in runs {
            let head = run.head()?;
            for (column, frames) in &frames {
                let waits = match column_stats(head, *column) {
                    Some(stats) if is_due(stats) => true,
                    Some(stats) => match stats.value_frames.get(&ValueFrame::Raw) {
                        Some(raw) => {
                            let scan = RawScan {
                                store: self,
                                tree: &tree,
                                run: &run,
                                column: *column,
                                frames: &**frames,
                            };
                            scan.rows(&mut control).await? < raw.values
                        }
                        None => false,
                    },
                    None => false,
                };
                if waits {
                    due.push(run.id);
                    break;
                }
            }
        }
        Ok(due)
    }

    /// Compresses the values of a run, if it is still listed, or of its first groups if the time is
    /// over: then it answers true, and the run waits on with its other rows. `58030` where zstd
    /// cannot be loaded.
    pub async fn compress_values(
        self: &Arc<Store>,
        tree: TreeId,
        run: RunId,
        pace: Arc<dyn Pace>,
    ) -> Result<bool> {
        let _compacting = self.compacting.lock().await;
        if !self.fetch_zstd().await {
            let error = Error::failed(Failure::NotLoaded, "zstd could not be loaded");
            return Err(error.into());
        }
        let choice = {
            let state = self.state();
            state.check_usable()?;
            if state.version.run(tree, run).is_none() {
                return Ok(false);
            }
            let mut choice = Choice {
                runs: vec![run],
                output_bytes: self.settings.run_bytes_max,
                why: Rewrite::Compress,
            };
            if state.complete(tree, &mut choice).is_none() {
                return Ok(false);
            }
            choice
        };
        let mut control = JobControl::at_pace(self, pace);
        let done = self.compact_runs(tree, &choice, &mut control).await;
        match &done {
            Err(error) if matches!(error.kind(), StoreErrorKind::TableDropped) => Ok(false),
            _ => done.map(|()| self.state().version.run(tree, run).is_some()),
        }
    }

    /// By column under `zstd_values` what became of its values, in all runs of a tree.
    pub fn value_frame_totals(&self, tree: TreeId) -> Result<Vec<(ColumnId, ValueFrameTotals)>> {
        let state = self.state();
        let mut totals: Vec<(ColumnId, ValueFrameTotals)> = Vec::new();
        let Some(shape) = state.catalog.tree(tree) else {
            return Ok(totals);
        };
        for run in state.version.runs(tree) {
            let head = run.head()?;
            for column in shape.columns_by_value() {
                let Some(stats) = column_stats(head, column.id) else {
                    continue;
                };
                for (frame, bytes) in stats.value_frames.iter() {
                    let known = |(id, totals): &&mut (ColumnId, ValueFrameTotals)| {
                        *id == column.id && totals.frame == *frame
                    };
                    match totals.iter_mut().find(known) {
                        Some((_, totals)) => totals.bytes += *bytes,
                        None => {
                            let first = ValueFrameTotals {
                                frame: *frame,
                                bytes: *bytes,
                            };
                            totals.push((column.id, first));
                        }
                    }
                }
            }
        }
        Ok(totals)
    }
}

fn column_stats(head: &RunHead, column: ColumnId) -> Option<&ColumnStats> {
    head.stats().get(head.column_position(column)?)
}

/// Whether values of a column wait for somebody to choose how they are compressed.
fn is_due(stats: &ColumnStats) -> bool {
    let is_set = |tag: u8| stats.codecs >> tag & 1 == 1;
    stats.zone.has_values() && (!is_set(TAG_VALUES_CHOSEN) || is_set(TAG_VALUES_DUE))
}

/// Whether no value of runs waits for that.
pub(crate) fn are_compressed<'a>(
    tree: &Tree,
    mut runs: impl Iterator<Item = &'a Run>,
) -> Result<bool> {
    runs.try_fold(true, |are_compressed, run| {
        let head = run.head()?;
        let mut columns = tree.columns_by_value();
        let waits = |column: &ColumnSpec| column_stats(head, column.id).is_some_and(is_due);
        Ok(are_compressed && !columns.any(waits))
    })
}

/// Whether somebody chose how values of runs are compressed.
pub(crate) fn are_chosen<'a>(tree: &Tree, mut runs: impl Iterator<Item = &'a Run>) -> Result<bool> {
    runs.try_fold(false, |are_chosen, run| {
        let head = run.head()?;
        let is_chosen = |stats: &ColumnStats| stats.codecs >> TAG_VALUES_CHOSEN & 1 == 1;
        let mut columns = tree.columns_by_value();
        Ok(
            are_chosen
                || columns.any(|column| column_stats(head, column.id).is_some_and(is_chosen)),
        )
    })
}

/// Counts the values of a run that are left as they are.
struct RawScan<'a> {
    store: &'a Store,
    tree: &'a Tree,
    run: &'a Run,
    column: ColumnId,
    frames: &'a dyn ValueFrames,
}

impl RawScan<'_> {
    /// How many would be by now, of all rows of the run that are not NULL.
    async fn rows(&self, steps: &mut impl Steps) -> Result<u64> {
        let head = Arc::clone(self.run.head()?);
        let stored = |id: &ColumnId| {
            let mut columns = self.tree.columns().iter();
            columns.position(|column| column.id == *id)
        };
        let inputs: Option<Vec<usize>> = self.frames.reads().iter().map(stored).collect();
        let Some(inputs) = inputs else {
            return Ok(u64::MAX);
        };
        let position = |stored: &usize| run_position(self.tree, &head, *stored);
        let mut present: Vec<usize> = inputs.iter().filter_map(position).collect();
        present.extend(head.column_position(self.column));
        let mut raw = 0;
        for group in 0..head.groups().len() {
            let values = self.store.read_values(self.run, &head, group, &present);
            let reader = GroupReader::new(Arc::clone(&head), group, values.await?)
                .map_err(|error| self.run.place_error(error))?;
            let vectors = reader.info().map_or(0, |info| info.vectors());
            for vector in 0..vectors {
                raw += self.rows_of(&head, &reader, vector, &inputs)?;
                steps.step().await?;
            }
        }
        Ok(raw)
    }

    fn rows_of(
        &self,
        head: &RunHead,
        reader: &GroupReader,
        vector: usize,
        inputs: &[usize],
    ) -> Result<u64> {
        let rows = reader.info().map_or(0, |info| info.vector_rows(vector));
        let column = |position: usize| {
            let column = reader.column(position, vector);
            column.map_err(|error| self.run.place_error(error))
        };
        let mut columns = Vec::with_capacity(inputs.len());
        for stored in inputs {
            let column = match run_position(self.tree, head, *stored) {
                Some(position) => column(position)?,
                None => missing_column(self.tree, *stored, rows),
            };
            columns.push(plain(&column));
        }
        let columns: Vec<&Column> = columns.iter().collect();
        let chosen = self.frames.choose(&columns, rows);
        let position = head.column_position(self.column);
        let target = match position.filter(|at| has_nulls(head, *at)) {
            Some(position) => Some(column(position)?),
            None => None,
        };
        let is_raw = |(row, frame): &(usize, ValueFrame)| {
            *frame == ValueFrame::Raw && target.as_ref().is_none_or(|column| !column.is_null(*row))
        };
        Ok(chosen.into_iter().enumerate().filter(is_raw).count() as u64)
    }
}

fn has_nulls(head: &RunHead, position: usize) -> bool {
    let stats = head.stats().get(position);
    stats.is_some_and(|stats| stats.zone.null_count > 0)
}

/// One value a row.
fn plain(column: &Column) -> Column {
    let mut builder = ColumnBuilder::with_capacity(column.logical_type(), column.len());
    builder.append_range(column, 0, column.len());
    builder.finish()
}
