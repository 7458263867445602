//! Carries a compaction out: reads and writes beside everything else, then takes the commit lock to
//! publish.

use core::ops::Range;
use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_codec::tags::TAG_ZSTD_DUE;
use varve_kv::{Durability, WriteBatch};
use varve_run::RunHead;
use varve_sort::VecSet;
use varve_types::{CommitSeq, Failure, IndexState, Parallel, RunId, TreeId, Value};

use crate::compaction::choose::{Choice, Effort, RunShape, choose};
use crate::compaction::extent::Extent;
use crate::compaction::input::RunInput;
use crate::compaction::merge::{Merge, MergeRule, Merged, MergedInput};
use crate::compaction::value_frames::are_compressed;
use crate::content;
use crate::content_tree::TREE;
use crate::error::{Result, StoreError, StoreErrorKind};
use crate::format::{deletion_vector, keys};
use crate::read::{ordinal, run_position};
use crate::run::{DeletionVector, Run};
use crate::store::{JobControl, PageSink, Publication, State, Store};
use crate::tree::Tree;
use crate::value_frames::{Rewrite, ValueFramesByColumn};

/// What a piece of work asks now and then: whether to go on, and to let others run.
pub(crate) trait Steps {
    async fn step(&mut self) -> Result<()>;

    /// Tells how many rows there are.
    fn set_total(&mut self, _rows: u64) {}

    /// Tells that so many more are done.
    fn add_done(&mut self, _rows: u64) {}

    /// Whether there is a time to end in.
    fn is_bounded(&self) -> bool {
        false
    }

    /// Whether it is over: what is done is kept, and the rest left.
    fn is_over(&self) -> bool {
        false
    }

    /// What columns are encoded on at the same time; `None` for one thread.
    fn parallel(&self) -> Option<Arc<dyn Parallel>> {
        None
    }
}

impl State {
    /// What to merge next.
    pub(crate) fn next_compaction(
        &self,
        extent: &Extent,
        effort: &Effort,
    ) -> Option<(TreeId, Choice)> {
        let mut trees = self.catalog.all_trees();
        trees.find_map(|(id, tree)| {
            if !extent.has_tree(id, tree) {
                return None;
            }
            let is_index = tree.index().is_some();
            let effort = if is_index && effort.is_thorough() {
                // Deleted entries hide others: only where no runs lie over each other they can go.
                &Effort::full(effort.run_bytes_max)
            } else if id == TREE {
                &effort.of_content()
            } else {
                effort
            };
            let runs = self.version.runs(id).iter();
            let sound = runs.filter(|run| !self.damaged.contains(&run.id));
            let wanted = sound.filter(|run| extent.has_run(tree, run));
            let shapes = wanted.filter_map(|run| {
                let (first_key, last_key) = run.key_range()?;
                let can_settle = is_index && effort.is_thorough() && self.can_settle(tree, run);
                Some(RunShape {
                    run: run.id,
                    place: tree.place(run.head().ok()?),
                    first_key,
                    last_key,
                    bytes: run.bytes,
                    rows: run.rows,
                    dead: run.deletion_vector.len() + u64::from(can_settle),
                    is_outdated: self.is_outdated(tree, run),
                })
            });
            let shapes: Vec<RunShape<'_>> = shapes.collect();
            let mut choice = choose(&shapes, effort)?;
            self.complete(id, &mut choice)?;
            Some((id, choice))
        })
    }

    /// Adds the runs that one commit wrote with others that were chosen: only their order tells
    /// which of their entries is newer. `None` where one of them is damaged.
    pub(super) fn complete(&self, tree: TreeId, choice: &mut Choice) -> Option<()> {
        let runs = self.version.runs(tree).iter();
        let chosen = runs.clone().filter(|run| choice.runs.contains(&run.id));
        let commits = VecSet::from_iter(chosen.map(|run| run.entries_seq));
        let together =
            runs.filter(|run| run.entries_seq.0 > 0 && commits.contains(&run.entries_seq));
        for run in together {
            if self.damaged.contains(&run.id) || run.key_range().is_none() {
                return None;
            }
            choice.runs.push(run.id);
        }
        varve_sort::sort(&mut choice.runs);
        choice.runs.dedup();
        Some(())
    }

    /// Whether the rows of a run are to be stored otherwise, and can be.
    fn is_outdated(&self, tree: &Tree, run: &Run) -> bool {
        let Ok(head) = run.head() else {
            return false;
        };
        head.schema_version() < tree.schema().options.version || self.zstd.is_some() && is_due(head)
    }

    /// Whether a run waits for zstd.
    pub(crate) fn waits_for_zstd(&self) -> bool {
        let trees = self.catalog.trees.keys();
        let mut runs = trees.flat_map(|tree| self.version.runs(*tree));
        self.zstd.is_none() && runs.any(|run| run.head().is_ok_and(|head| is_due(head)))
    }

    /// Whether deleted entries could be left out of a run of an index, and it may have some.
    fn can_settle(&self, tree: &Tree, run: &Run) -> bool {
        let newest = match run.entries_seq {
            CommitSeq(0) => newest_entry(tree, run).unwrap_or(0) >> 1,
            CommitSeq(seq) => seq.cast_signed(),
        };
        let settled = settled(self, tree, &[run.id]);
        newest > 0 && newest.cast_unsigned() <= settled.0
    }
}

/// Whether columns of a run are to be under zstd and are not.
fn is_due(head: &RunHead) -> bool {
    let mut columns = head.stats().iter();
    columns.any(|column| column.codecs >> TAG_ZSTD_DUE & 1 == 1)
}

/// What the newest entry of an index's run tells of itself.
fn newest_entry(tree: &Tree, run: &Run) -> Option<i64> {
    let head = run.head().ok()?;
    let position = run_position(tree, head, tree.entry_column()?)?;
    match head.stats().get(position)?.zone.max {
        Some(Value::Int8(entry)) => Some(entry),
        _ => None,
    }
}

impl Store {
    /// Merges runs until all is well.
    pub(crate) async fn compact(
        self: &Arc<Store>,
        extent: &Extent,
        effort: &Effort,
        steps: &mut impl Steps,
    ) -> Result<()> {
        let _compacting = self.compacting.lock().await;
        self.retire_dead_runs().await?;
        self.fetch_due_zstd().await;
        loop {
            let next = {
                let state = self.state();
                state.check_usable()?;
                state.next_compaction(extent, effort)
            };
            let Some((tree, choice)) = next else {
                return Ok(());
            };
            self.compact_runs(tree, &choice, steps).await?;
        }
    }

    /// Merges runs that were chosen a while ago, if all of them are listed still.
    pub(crate) async fn compact_chosen(
        self: &Arc<Store>,
        tree: TreeId,
        choice: &Choice,
        steps: &mut impl Steps,
    ) -> Result<()> {
        let _compacting = self.compacting.lock().await;
        let is_listed = |run: &RunId| self.state().version.run(tree, *run).is_some();
        if !choice.runs.iter().all(is_listed) {
            return Ok(());
        }
        self.compact_runs(tree, choice, steps).await
    }

    /// Makes new runs of some, and lists them instead.
    pub(super) async fn compact_runs(
        self: &Arc<Store>,
        tree: TreeId,
        choice: &Choice,
        steps: &mut impl Steps,
    ) -> Result<()> {
        let done = self.try_compact_runs(tree, choice, steps).await;
        if let Err(error) = &done
            && matches!(error.failure(), Some(Failure::Corrupt | Failure::Internal))
        {
            // Another attempt would find the same.
            self.state().damaged.extend(choice.runs.iter().copied());
        }
        done
    }

    async fn try_compact_runs(
        self: &Arc<Store>,
        tree: TreeId,
        choice: &Choice,
        steps: &mut impl Steps,
    ) -> Result<()> {
        let (tree, rule, inputs) = {
            let state = self.state();
            let shape = state.catalog.tree(tree).map(Arc::clone);
            let shape = shape.ok_or_else(table_dropped)?;
            let inputs = self.inputs(&state, &shape, &choice.runs)?;
            let rule = merge_rule(&state, &shape, &choice.runs);
            (shape, rule, inputs)
        };
        let runs = inputs.iter().map(|input| &*input.run);
        let why = match choice.why {
            Rewrite::Merge if are_compressed(&tree, runs)? => Rewrite::MergeCompressed,
            why => why,
        };
        let mut sink = PageSink::of_compaction(self);
        let frames = self.frames_of(&tree, why).await?;
        let step_bytes = frames.iter().map(|(_, frames)| frames.step_bytes_max());
        let merge = Merge {
            store: self,
            tree: &tree,
            rule,
            output_bytes: choice.output_bytes,
            group_bytes: step_bytes.min().filter(|_| steps.is_bounded()),
            frames,
        };
        let merged = merge.run(inputs, &mut sink, steps).await?;
        steps.step().await?;

        let _commit_lock = self.take_commit_lock().await;
        let mut batch = WriteBatch::new();
        let publication = self.prepare_compaction(&tree, &merged, &mut batch)?;
        sink.end_intent(&mut batch);
        self.write_change(batch, Durability::Strict).await?;
        sink.set_published();
        {
            let mut state = self.state();
            for MergedInput { input, forward, .. } in merged.inputs {
                if let Some(forward) = forward {
                    // A run is compacted once: it is not listed any more, or has another trace.
                    let _ = input.run.trace.forward.set(forward);
                }
            }
            publication.install(&mut state);
            state.counters.compactions += 1;
        }
        // The compaction stands; pages that could not be deleted now are deleted later.
        let _ = self.reap().await;
        Ok(())
    }

    /// How values are compressed one by one. Where that cannot be told they wait for somebody who
    /// asks for it, and who is told why.
    pub(crate) async fn frames_of(&self, tree: &Tree, why: Rewrite) -> Result<ValueFramesByColumn> {
        let frames = match (self.value_frames(tree, why).await, why) {
            (Err(_), Rewrite::Merge | Rewrite::MergeCompressed) => Vec::new(),
            (frames, Rewrite::Compress) => frames?,
            (Ok(frames), _) => frames,
        };
        if !frames.is_empty() {
            self.fetch_zstd().await;
        }
        Ok(frames)
    }

    /// The runs without the rows that are dead by now.
    fn inputs(&self, state: &State, tree: &Arc<Tree>, runs: &[RunId]) -> Result<Vec<RunInput>> {
        let mut inputs = Vec::with_capacity(runs.len());
        for run in runs {
            let run = state.version.run(tree.schema().tree, *run);
            let run = run.ok_or_else(|| StoreError::internal("a chosen run is not listed"))?;
            inputs.push(RunInput::new(self, run, tree, run.deletion_vector.all())?);
        }
        Ok(inputs)
    }

    /// Puts together the publishing commit. Rows that died since the inputs were opened are deleted
    /// in the outputs.
    fn prepare_compaction(
        &self,
        tree: &Arc<Tree>,
        merged: &Merged,
        batch: &mut WriteBatch,
    ) -> Result<Publication> {
        let state = self.state();
        state.check_usable()?;
        let id = tree.schema().tree;
        if state.catalog.tree(id).is_none() {
            return Err(table_dropped());
        }
        let mut publication = Publication::new(&state);
        let mut dead: Vec<RoaringBitmap> = vec![RoaringBitmap::new(); merged.outputs.len()];
        for MergedInput {
            input,
            forward,
            rest,
        } in &merged.inputs
        {
            let listed = state.version.run(id, input.run.id);
            match listed {
                Some(run) if let Some(rest) = rest => {
                    publication.shorten_run(run, rest.from, &rest.trace, batch)?;
                }
                Some(run) if input.dead.is_empty() && !merged.leaves_content => {
                    publication.move_run(run);
                }
                Some(run) => publication.remove_run(run),
                None => {}
            }
            let Some(forward) = forward else {
                continue;
            };
            let died = match listed {
                Some(run) => run.deletion_vector.all() - &input.dead,
                // It was retired because nothing of it lives.
                None => (0..ordinal(input.run.rows)?).collect(),
            };
            #[cfg(feature = "inspect")]
            let died = crate::planted::carried_over(died);
            for (output, row) in died.iter().filter_map(|ordinal| forward.row(ordinal)) {
                // Rows that stay in their input are among its dead ones.
                let at = merged
                    .outputs
                    .binary_search_by_key(&output.id, |run| run.id);
                if let Some(dead) = at.ok().and_then(|at| dead.get_mut(at)) {
                    dead.insert(row);
                }
            }
        }
        for (run, dead) in merged.outputs.iter().zip(dead) {
            if dead.is_empty() {
                publication.version.set(Arc::clone(run));
                continue;
            }
            batch.put(
                keys::deletion_vector(run.id, 1),
                deletion_vector::encode(run.id, 1, &dead)?,
            );
            let changed = run.with_deletion_vector(DeletionVector::new(dead, 1));
            publication.version.set(Arc::new(changed));
        }
        if let Some(content) = &merged.content {
            publication.version.set(Arc::clone(content));
        }
        publication.write(self, &state, state.last, batch)?;
        Ok(publication)
    }

    /// Gives the space of deleted rows back, of one tree with its indexes or of all; with `full`,
    /// no two runs of a tree lie over each other afterwards.
    pub async fn vacuum(self: &Arc<Store>, tree: Option<TreeId>, full: bool) -> Result<()> {
        self.vacuum_on(tree, full, None).await
    }

    /// The same with several threads to encode on. The bytes stay the same.
    pub async fn vacuum_on(
        self: &Arc<Store>,
        tree: Option<TreeId>,
        full: bool,
        parallel: Option<Arc<dyn Parallel>>,
    ) -> Result<()> {
        let run_bytes_max = self.settings.run_bytes_max;
        let effort = if full {
            Effort::full(run_bytes_max)
        } else {
            Effort::all_dead(run_bytes_max)
        };
        let extent = tree.map_or(Extent::All, Extent::Tree);
        self.vacuum_extent(extent, &effort, parallel).await
    }

    /// The same as with `full`, of the runs of a tree with values between `range` of the column by
    /// which it keeps rows apart; its indexes stay as they are.
    pub async fn vacuum_range(
        self: &Arc<Store>,
        tree: TreeId,
        range: Range<i64>,
        parallel: Option<Arc<dyn Parallel>>,
    ) -> Result<()> {
        let effort = Effort::full(self.settings.run_bytes_max);
        let extent = Extent::Range(tree, range);
        self.vacuum_extent(extent, &effort, parallel).await
    }

    async fn vacuum_extent(
        self: &Arc<Store>,
        mut extent: Extent,
        effort: &Effort,
        parallel: Option<Arc<dyn Parallel>>,
    ) -> Result<()> {
        self.flush().await?;
        let mut control = JobControl::of_request(self).with_parallel(parallel);
        loop {
            self.compact(&extent, effort, &mut control).await?;
            if content::due(self).is_none() {
                return Ok(());
            }
            self.sweep_content(&mut control).await?;
            extent = Extent::Tree(TREE);
        }
    }
}

/// What becomes of the rows of these runs.
fn merge_rule(state: &State, tree: &Tree, chosen: &[RunId]) -> MergeRule {
    match tree.entry_column() {
        None => MergeRule::Table,
        Some(column) => MergeRule::Index {
            column,
            settled: settled(state, tree, chosen),
        },
    }
}

/// Up to which commit there are no entries with keys of these runs but in them, nor will be.
fn settled(state: &State, tree: &Tree, chosen: &[RunId]) -> CommitSeq {
    let runs = state.version.runs(tree.schema().tree);
    let (chosen, others): (Vec<&Arc<Run>>, Vec<&Arc<Run>>) =
        runs.iter().partition(|run| chosen.contains(&run.id));
    let ranges = || chosen.iter().filter_map(|run| run.key_range());
    let first = ranges().map(|(first, _)| first).min();
    let last = ranges().map(|(_, last)| last).max();
    let is_apart = |run: &&Arc<Run>| match (run.key_range(), first, last) {
        (Some((low, high)), Some(first), Some(last)) => high < first || last < low,
        // Nobody knows what a damaged run holds.
        _ => false,
    };
    // Older entries may come while the index is built, and until those in memory are flushed.
    let is_valid = tree
        .index()
        .is_some_and(|index| index.state == IndexState::Valid);
    if is_valid && others.iter().all(is_apart) {
        state.manifest.flushed
    } else {
        CommitSeq(0)
    }
}

fn table_dropped() -> StoreError {
    StoreErrorKind::TableDropped.into()
}
