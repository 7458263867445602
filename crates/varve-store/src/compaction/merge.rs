//! Merges runs by key into new ones. A stretch of rows that lie in one input goes over at once, and
//! a vector that no other input has keys between as it is, encoded forms kept.
//!
//! Living rows of a table have distinct keys. Entries of an index may be there several times: the
//! newest one counts.

use std::sync::Arc;

use varve_run::{ColumnSpec, Holds};
use varve_sort::VecMap;
use varve_types::{CommitSeq, Pacer, Parallel, Reservation, VECTOR_ROWS, Value};

use crate::compaction::Steps;
use crate::compaction::input::{InputVector, RunInput};
use crate::compaction::output::Output;
use crate::error::Result;
use crate::partition::{KeptApart, PartitionNumber};
use crate::read::{View, ordinal};
use crate::run::{ForwardBuilder, ForwardMap, Run, RunTrace};
use crate::store::{PageSink, Store};
use crate::tree::Tree;
use crate::value_frames::ValueFramesByColumn;

/// What becomes of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MergeRule {
    /// All go over.
    Table,
    /// Of entries with one key the newest.
    Index {
        /// The stored column that tells when and how an entry was written.
        column: usize,
        /// Up to this commit there are no other entries of these keys: those deleted are left out,
        /// the others need not tell when they were written.
        settled: CommitSeq,
    },
}

/// What a merge wrote.
pub(super) struct Merged {
    pub(super) inputs: Vec<MergedInput>,
    pub(super) outputs: Vec<Arc<Run>>,
    /// The content that the outputs refer to and that is new.
    pub(super) content: Option<Arc<Run>>,
    /// Whether values came back from content to the rows.
    pub(super) leaves_content: bool,
}

/// A run that was read, and where its rows are in the outputs.
pub(super) struct MergedInput {
    pub(super) input: RunInput,
    /// None of an index, which has no deletion vectors.
    pub(super) forward: Option<ForwardMap>,
    /// The rows that were not read.
    pub(super) rest: Option<Rest>,
}

/// The last rows of a run, which stay in it.
pub(super) struct Rest {
    /// The first of them.
    pub(super) from: u32,
    /// Where they are from now on.
    pub(super) trace: Arc<RunTrace>,
}

/// An input, and its rows at hand.
pub(super) struct Source {
    input: RunInput,
    pub(super) vector: Option<InputVector>,
    /// The next living row of the vector.
    pub(super) at: usize,
    pub(super) forward: ForwardBuilder,
    /// How rows are kept apart, if they are.
    kept_apart: Option<KeptApart>,
    /// Then the partitions of the vector's rows.
    partitions: Vec<PartitionNumber>,
}

/// How runs of one tree are merged.
pub(super) struct Merge<'a> {
    pub(super) store: &'a Arc<Store>,
    pub(super) tree: &'a Arc<Tree>,
    pub(super) rule: MergeRule,
    /// New runs are about this large.
    pub(super) output_bytes: u64,
    /// Groups of new runs take no more in memory, where that is said.
    pub(super) group_bytes: Option<usize>,
    /// How values are compressed one by one.
    pub(super) frames: ValueFramesByColumn,
}

impl Merge<'_> {
    /// Merges the living rows of runs: of one alone only the first ones, where the time is over.
    pub(super) async fn run(
        &self,
        inputs: Vec<RunInput>,
        sink: &mut PageSink,
        steps: &mut impl Steps,
    ) -> Result<Merged> {
        let referring = self.referring(&inputs)?;
        let drops_references = self.drops_references(&inputs)?;
        let mut sources = self.sources(inputs, &referring).await?;
        let mut output = self.output(sink, referring, steps.parallel());
        let living = |source: &Source| source.input.run.rows - source.input.dead.len();
        steps.set_total(sources.iter().map(living).sum());
        while let Some((low, rows)) = next_stretch(&sources) {
            if steps.is_over() && output.may_end(&sources) {
                break;
            }
            let low = self.pass_over(&mut sources, low).await?;
            let Some(source) = sources.get_mut(low) else {
                break;
            };
            output.take(source, rows)?;
            let used_up = source.is_used_up();
            if used_up || output.pieces_rows >= VECTOR_ROWS {
                steps.add_done(output.pieces_rows as u64);
                output.write_pieces().await?;
                steps.step().await?;
            }
            if used_up {
                source.load(self.store).await?;
            }
        }
        output.finish_runs().await?;
        let leaves_content = output.resolved.is_some() || drops_references;
        let outputs: Vec<Arc<Run>> = output.finished.into_values().collect();
        let content = sink.end_content().await?;
        sink.write_pending().await?;
        Ok(Merged {
            inputs: self.inputs_of(sources, &outputs)?,
            outputs,
            content,
            leaves_content,
        })
    }

    /// The stored columns that have references in an input, or will have in the outputs.
    fn referring(&self, inputs: &[RunInput]) -> Result<Vec<usize>> {
        let mut referring = Vec::new();
        for (stored, column) in self.tree.columns().iter().enumerate() {
            let mut refers = self.tree.content().contains(&stored);
            for input in inputs.iter().filter(|input| input.run.refers) {
                refers |= input.run.head()?.reference_position(column.id).is_some();
            }
            if refers {
                referring.push(stored);
            }
        }
        Ok(referring)
    }

    /// Whether inputs have references of columns that the tree lost.
    fn drops_references(&self, inputs: &[RunInput]) -> Result<bool> {
        for input in inputs.iter().filter(|input| input.run.refers) {
            let mut columns = input.run.head()?.columns().iter();
            let is_lost = |column: &ColumnSpec| {
                let mut kept = self.tree.columns().iter();
                column.holds == Holds::References && !kept.any(|kept| kept.id == column.id)
            };
            if columns.any(is_lost) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn sources(&self, inputs: Vec<RunInput>, referring: &[usize]) -> Result<Vec<Source>> {
        let mut sources = Vec::with_capacity(inputs.len());
        for mut input in inputs {
            input.add_references(referring);
            let memory = Arc::clone(&self.store.memory);
            let mut source = Source {
                input,
                vector: None,
                at: 0,
                forward: ForwardBuilder::new(Reservation::new(memory)),
                kept_apart: self.tree.kept_apart(),
                partitions: Vec::new(),
            };
            source.load(self.store).await?;
            sources.push(source);
        }
        Ok(sources)
    }

    fn output<'a>(
        &'a self,
        sink: &'a mut PageSink,
        referring: Vec<usize>,
        parallel: Option<Arc<dyn Parallel>>,
    ) -> Output<'a> {
        let to_resolve = |stored: &usize| !self.tree.content().contains(stored);
        let resolved = referring.iter().any(to_resolve).then(|| {
            let transaction = self.store.begin();
            let write_set = Arc::clone(&transaction.write_set);
            let snapshot = Arc::clone(&transaction.snapshot);
            View::new(Arc::clone(self.tree), snapshot, write_set).content()
        });
        Output {
            referring,
            resolved,
            store: self.store,
            tree: self.tree,
            rule: self.rule,
            sink,
            output_bytes: self.output_bytes,
            group_bytes: self.group_bytes,
            frames: &self.frames,
            parallel,
            open: VecMap::new(),
            opened: 0,
            pacer: Pacer::new(&self.store.env),
            pieces: Vec::new(),
            pieces_rows: 0,
            entries: Vec::new(),
            finished: VecMap::new(),
        }
    }

    /// The source to take from, given one with the lowest key. Older entries of that key are
    /// passed over.
    async fn pass_over(&self, sources: &mut [Source], low: usize) -> Result<usize> {
        let MergeRule::Index { column, .. } = self.rule else {
            return Ok(low);
        };
        let (low, passed_over) = newest(sources, low, column);
        for at in passed_over {
            if let Some(source) = sources.get_mut(at) {
                source.at += 1;
                if source.is_used_up() {
                    // Pieces keep the columns that they were cut from.
                    source.load(self.store).await?;
                }
            }
        }
        Ok(low)
    }

    /// The inputs, with where their rows are now: in the outputs, or still in them.
    fn inputs_of(&self, sources: Vec<Source>, outputs: &[Arc<Run>]) -> Result<Vec<MergedInput>> {
        let mut inputs = Vec::with_capacity(sources.len());
        for mut source in sources {
            let traces = outputs.iter().map(|run| Arc::clone(&run.trace));
            let mut traces: Vec<Arc<RunTrace>> = traces.collect();
            let rest = source.rest();
            if let Some(rest) = &rest {
                let rows = ordinal(source.input.run.rows)? - rest.from;
                let number = ordinal(traces.len() as u64)?;
                source.forward.push(rest.from, number, rest.from, rows)?;
                traces.push(Arc::clone(&rest.trace));
            }
            inputs.push(MergedInput {
                rest,
                forward: match self.rule {
                    MergeRule::Table => Some(source.forward.finish(traces)?),
                    MergeRule::Index { .. } => None,
                },
                input: source.input,
            });
        }
        Ok(inputs)
    }
}

/// The source with the lowest key, and how many of its rows come before those of all others.
fn next_stretch(sources: &[Source]) -> Option<(usize, usize)> {
    let mut lowest: Option<(usize, &[u8])> = None;
    let mut bound: Option<&[u8]> = None;
    for (at, source) in sources.iter().enumerate() {
        let Some(vector) = &source.vector else {
            continue;
        };
        let key = vector.key(source.at);
        match lowest {
            Some((_, low)) if low <= key => {
                bound = Some(bound.map_or(key, |bound| bound.min(key)));
            }
            _ => {
                bound = lowest.map(|(_, low)| low).or(bound);
                lowest = Some((at, key));
            }
        }
    }
    let (low, _) = lowest?;
    let source = sources.get(low)?;
    let vector = source.vector.as_ref()?;
    // Of two equal keys one goes over alone; in a table the writer refuses the other.
    Some((low, vector.rows_below(source.at, bound).max(1)))
}

/// Of the sources whose next entry has the same key as that of `low` the one with the newest, and
/// the others.
fn newest(sources: &[Source], low: usize, column: usize) -> (usize, Vec<usize>) {
    let key = sources.get(low).and_then(Source::key);
    let same = (0..).zip(sources);
    let same = same.filter(|(_, source)| key.is_some() && source.key() == key);
    let mut same: Vec<(i64, usize)> = same
        .map(|(at, source)| (source.entry(column, source.at) >> 1, at))
        .collect();
    // The commit decides; of one commit the run that was written last.
    varve_sort::sort(&mut same);
    let newest = same.pop().map_or(low, |(_, at)| at);
    (newest, same.into_iter().map(|(_, at)| at).collect())
}

impl Source {
    /// The key of the next row.
    fn key(&self) -> Option<&[u8]> {
        let vector = self.vector.as_ref()?;
        (self.at < vector.rows.len()).then(|| vector.key(self.at))
    }

    /// What an index entry tells of itself: twice its commit, and one more if it was deleted.
    pub(super) fn entry(&self, column: usize, at: usize) -> i64 {
        let entry = self.vector.as_ref().and_then(|vector| {
            let row = *vector.rows.get(at)?;
            Some(vector.columns.get(column)?.value(row as usize))
        });
        let Some(Value::Int8(entry)) = entry else {
            return 0;
        };
        match self.input.run.entries_seq {
            CommitSeq(0) => entry,
            CommitSeq(seq) => (seq << 1).cast_signed() | (entry & 1),
        }
    }

    /// The rows from the next one on.
    fn rest(&self) -> Option<Rest> {
        let vector = self.vector.as_ref()?;
        let run = &self.input.run;
        Some(Rest {
            from: vector.first_row + vector.rows.get(self.at)?,
            trace: RunTrace::new(run.id, run.tree),
        })
    }

    async fn load(&mut self, store: &Store) -> Result<()> {
        self.forward.reserve()?;
        self.vector = self.input.next(store).await?;
        self.at = 0;
        if let (Some(kept_apart), Some(vector)) = (self.kept_apart, &self.vector) {
            self.partitions = kept_apart.numbers(&vector.columns);
        }
        Ok(())
    }

    /// The partition of a row of the vector.
    pub(super) fn partition(&self, row: u32) -> PartitionNumber {
        self.partitions.get(row as usize).copied().flatten()
    }

    fn is_used_up(&self) -> bool {
        let rows = self.vector.as_ref().map_or(0, |vector| vector.rows.len());
        self.at >= rows
    }
}
