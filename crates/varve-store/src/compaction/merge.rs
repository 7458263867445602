//! Merges runs by key into new ones. A stretch of rows that lie in one input goes over at once, and
//! a vector that no other input has keys between as it is, encoded forms kept.
//!
//! Living rows of a table have distinct keys. Entries of an index may be there several times: the
//! newest one counts.

use std::sync::Arc;

use varve_run::{ColumnSpec, Holds, RunWriter};
use varve_types::{
    Batch, Column, ColumnBuilder, ColumnData, ColumnRef, CommitSeq, LocalFuture, LogicalType,
    Pacer, Parallel, Reservation, RunId, VECTOR_ROWS, Value,
};

use crate::compaction::Steps;
use crate::compaction::input::{InputVector, RunInput};
use crate::error::{Result, StoreError};
use crate::paced_run;
use crate::read::{Unresolved, View, ordinal};
use crate::run::{ForwardBuilder, ForwardMap, Run, RunTrace};
use crate::store::{PageSink, Store};
use crate::tree::Tree;
use crate::value_frames::ValueFramesByColumn;

/// A run is ended at this many rows, so that maps of rows stay small.
const RUN_ROWS_MAX: u64 = 1 << 24;

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
struct Source {
    input: RunInput,
    vector: Option<InputVector>,
    /// The next living row of the vector.
    at: usize,
    forward: ForwardBuilder,
}

/// Rows of one vector that go over together.
struct Piece {
    columns: Vec<ColumnRef>,
    rows: Vec<u32>,
}

/// The runs being written.
struct Output<'a> {
    store: &'a Arc<Store>,
    tree: &'a Tree,
    rule: MergeRule,
    sink: &'a mut PageSink,
    output_bytes: u64,
    group_bytes: Option<usize>,
    frames: &'a ValueFramesByColumn,
    parallel: Option<Arc<dyn Parallel>>,
    open: Option<(RunId, RunWriter)>,
    pacer: Pacer,
    pieces: Vec<Piece>,
    pieces_rows: usize,
    /// Of an index what the pieces' entries tell of themselves.
    entries: Vec<i64>,
    /// Rows of all outputs so far, those of the pieces included.
    rows: u32,
    finished: Vec<Arc<Run>>,
    /// The stored columns after which references come in the pieces.
    referring: Vec<usize>,
    /// What the references of inputs lead to, where outputs are to hold the values.
    resolved: Option<View>,
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
        output.finish_run().await?;
        let leaves_content = output.resolved.is_some() || drops_references;
        let (outputs, rows) = (output.finished, output.rows);
        let content = sink.end_content().await?;
        sink.write_pending().await?;
        Ok(Merged {
            inputs: self.inputs_of(sources, &outputs, rows)?,
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
            open: None,
            pacer: Pacer::new(&self.store.env),
            pieces: Vec::new(),
            pieces_rows: 0,
            entries: Vec::new(),
            rows: 0,
            finished: Vec::new(),
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

    /// The inputs, with where their rows are now: in the outputs, which have so many `rows`, or
    /// still in them.
    fn inputs_of(
        &self,
        sources: Vec<Source>,
        outputs: &[Arc<Run>],
        rows: u32,
    ) -> Result<Vec<MergedInput>> {
        let rows_of = |run: &Arc<Run>| Ok((Arc::clone(&run.trace), ordinal(run.rows)?));
        let traces: Result<Vec<(Arc<RunTrace>, u32)>> = outputs.iter().map(rows_of).collect();
        let traces = traces?;
        let mut inputs = Vec::with_capacity(sources.len());
        for mut source in sources {
            let mut traces = traces.clone();
            let rest = source.rest();
            if let Some(rest) = &rest {
                let all = ordinal(source.input.run.rows)?;
                let forward = &mut source.forward;
                forward.push(rest.from, rows + rest.from, all - rest.from)?;
                traces.push((Arc::clone(&rest.trace), all));
            }
            inputs.push(MergedInput {
                rest,
                forward: match self.rule {
                    MergeRule::Table => Some(source.forward.finish(&traces)?),
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
    fn entry(&self, column: usize, at: usize) -> i64 {
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
        Ok(())
    }

    fn is_used_up(&self) -> bool {
        let rows = self.vector.as_ref().map_or(0, |vector| vector.rows.len());
        self.at >= rows
    }
}

impl Output<'_> {
    /// Takes the next rows of a source.
    fn take(&mut self, source: &mut Source, rows: usize) -> Result<()> {
        let Some(vector) = &source.vector else {
            return Ok(());
        };
        let taken = vector.rows.iter().skip(source.at).take(rows).copied();
        let mut taken: Vec<u32> = taken.collect();
        if let MergeRule::Index { column, settled } = self.rule {
            let mut at = source.at;
            source.at += taken.len();
            let settled = ((settled.0 << 1) | 1).cast_signed();
            taken.retain(|_| {
                let entry = source.entry(column, at);
                at += 1;
                let (is_settled, is_deleted) = (entry <= settled, entry & 1 == 1);
                let kept = !(is_settled && is_deleted);
                if kept {
                    self.entries.push(if is_settled { 0 } else { entry });
                }
                kept
            });
            self.pieces_rows += taken.len();
            self.pieces.push(Piece {
                columns: vector.columns.clone(),
                rows: taken,
            });
            return Ok(());
        }
        source.at += taken.len();
        // Rows that follow each other do so in the output too.
        let mut stretch: Option<(u32, u32)> = None;
        for row in &taken {
            let ordinal = vector.first_row + row;
            stretch = Some(match stretch {
                Some((first, count)) if first + count == ordinal => (first, count + 1),
                Some((first, count)) => {
                    self.note(&mut source.forward, first, count)?;
                    (ordinal, 1)
                }
                None => (ordinal, 1),
            });
        }
        if let Some((first, count)) = stretch {
            self.note(&mut source.forward, first, count)?;
        }
        self.pieces_rows += taken.len();
        self.pieces.push(Piece {
            columns: vector.columns.clone(),
            rows: taken,
        });
        Ok(())
    }

    /// Whether what was taken so far can stay, and what is left in its input: it has groups, ends
    /// with one, and leaves numbers for all rows of the input.
    fn may_end(&self, sources: &[Source]) -> bool {
        let [source] = sources else {
            return false;
        };
        let open = self.open.as_ref().map(|(_, writer)| writer.value_bytes());
        let has_groups = !self.finished.is_empty() || open.is_some_and(|bytes| bytes > 0);
        let numbers = u64::from(self.rows) + source.input.run.rows;
        let is_table = self.rule == MergeRule::Table;
        is_table && self.pieces.is_empty() && has_groups && numbers < u64::from(u32::MAX)
    }

    fn note(&mut self, forward: &mut ForwardBuilder, first: u32, count: u32) -> Result<()> {
        forward.push(first, self.rows, count)?;
        let rows = self
            .rows
            .checked_add(count)
            .filter(|rows| *rows != u32::MAX);
        self.rows = rows.ok_or_else(|| StoreError::internal("a compaction has too many rows"))?;
        Ok(())
    }

    async fn write_pieces(&mut self) -> Result<()> {
        let pieces = core::mem::take(&mut self.pieces);
        let rows = core::mem::take(&mut self.pieces_rows);
        if rows == 0 {
            return Ok(());
        }
        let mut columns = match pieces.as_slice() {
            [piece] if piece.columns.iter().all(|column| column.len() == rows) => {
                piece.columns.clone()
            }
            pieces => self.gather(pieces, rows),
        };
        if let MergeRule::Index { column, .. } = self.rule {
            let entries = ColumnData::Int64(core::mem::take(&mut self.entries));
            let entries = Column::plain(LogicalType::Int8, entries, None);
            let slot = columns.get_mut(column).zip(entries);
            let (slot, entries) = slot.ok_or_else(|| StoreError::internal("index entries"))?;
            *slot = Arc::new(entries);
        }
        if self.referring.is_empty() {
            self.write_rows(Batch::new(columns, rows)).await?;
        } else {
            self.write_referring(columns, rows).await?;
        }
        let is_full = |(_, writer): &(RunId, RunWriter)| {
            writer.value_bytes() >= self.output_bytes || writer.rows() >= RUN_ROWS_MAX
        };
        if self.open.as_ref().is_some_and(is_full) {
            self.finish_run().await?;
        }
        Ok(())
    }

    /// Writes rows whose columns are followed by references: content comes back to the rows of
    /// columns that are not content-addressed any more, and large values of those that are leave.
    fn write_referring(
        &mut self,
        columns: Vec<ColumnRef>,
        rows: usize,
    ) -> LocalFuture<'_, Result<()>> {
        Box::pin(self.write_parts(columns, rows))
    }

    async fn write_parts(&mut self, mut columns: Vec<ColumnRef>, rows: usize) -> Result<()> {
        let references = columns.split_off(self.tree.types().len());
        let (mut given, mut back) = (Vec::new(), Vec::new());
        for (stored, references) in self.referring.iter().zip(references) {
            match self.tree.content().contains(stored) {
                true => given.push(references),
                false => back.push((*stored, references)),
            }
        }
        let given_columns = columns.len();
        columns.extend(given);
        let mut parts = Unresolved::new(columns, back, rows);
        let content = self.resolved.take();
        loop {
            let part = match &content {
                Some(content) => parts.next(content).await?,
                None => parts.rest(),
            };
            let Some((_, part)) = part else {
                break;
            };
            let mut columns = part.physical_columns().to_vec();
            let given = columns.split_off(given_columns);
            self.sink
                .refer(self.tree, &mut columns, &given, &mut self.pacer)
                .await?;
            self.write_rows(Batch::new(columns, part.rows())).await?;
        }
        self.resolved = content;
        Ok(())
    }

    async fn write_rows(&mut self, batch: Batch) -> Result<()> {
        let (run, writer) = match &mut self.open {
            Some((run, writer)) => (*run, writer),
            None => {
                let run = self.sink.new_run();
                let writer = self.store.lasting_run(self.tree, run).await?;
                let writer = writer.with_value_frames(self.frames);
                let writer = writer.with_parallel(self.parallel.clone());
                let writer = match self.group_bytes {
                    Some(bytes) => writer.with_group_bytes(bytes),
                    None => writer,
                };
                let (_, writer) = self.open.insert((run, writer));
                (run, writer)
            }
        };
        writer.append(&batch)?;
        paced_run::encode(writer, &mut self.pacer).await?;
        self.sink.put_values(run, writer.take_values()).await
    }

    fn gather(&self, pieces: &[Piece], rows: usize) -> Vec<ColumnRef> {
        let column = |(at, ty): (usize, &LogicalType)| {
            let mut builder = ColumnBuilder::with_capacity(*ty, rows);
            for piece in pieces {
                if let Some(column) = piece.columns.get(at) {
                    builder.append_rows(column, &piece.rows);
                }
            }
            Arc::new(builder.finish())
        };
        let references = self.referring.iter().map(|_| &LogicalType::Int8);
        let types = self.tree.types().iter().chain(references);
        types.enumerate().map(column).collect()
    }

    async fn finish_run(&mut self) -> Result<()> {
        let Some((_, writer)) = self.open.take() else {
            return Ok(());
        };
        let mut finished = paced_run::finish(writer, &mut self.pacer).await?;
        self.sink.put_finished(&mut finished).await?;
        let tree = self.tree.schema().tree;
        let run = Run::new(tree, Arc::new(finished.head), finished.bytes);
        self.finished.push(Arc::new(run));
        Ok(())
    }
}
