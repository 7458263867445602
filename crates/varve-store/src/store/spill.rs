//! Writes the rows of a transaction out before its commit, to runs that only the commit publishes.
//!
//! A run has rows of one partition. It goes on over several spills as long as keys ascend and all
//! of its rows belong to one segment between savepoints.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex};

use roaring::RoaringBitmap;
use varve_kv::WriteBatch;
use varve_run::RunWriter;
use varve_sort::VecMap;
use varve_types::{Batch, CommitSeq, Invariant, KeyRange, Pacer, RunId, TreeId, VECTOR_ROWS};

use crate::error::{Result, StoreError, StoreErrorKind};
use crate::memtable::{ChunkRequest, RowTable, RowVersion, TableChunk};
use crate::paced_run;
use crate::partition::{PartitionNumber, are_full};
use crate::run::Run;
use crate::store::{PageSink, Store};
use crate::tree::Tree;
use crate::value_frames::ValueFramesByColumn;
use crate::write_set::{WRITE_SET_SEQ, WriteSet, lock_write_set};

/// The rows that came between two savepoints.
struct Segment {
    number: usize,
    start: CommitSeq,
    /// The last sequence before the segment after it.
    seq: CommitSeq,
    /// The versions of the segments before it.
    earlier: RoaringBitmap,
}

/// A run is ended at this many rows, so that ordinals fit 32 bits.
const RUN_ROWS_MAX: u64 = 1 << 31;

/// Runs on their way out.
pub(crate) struct Spill {
    store: Arc<Store>,
    sink: PageSink,
    /// By tree the runs that take further rows, as long as they ascend.
    open: VecMap<TreeId, OpenRuns>,
    /// By tree how its values are compressed one by one, where they are before the commit.
    frames: VecMap<TreeId, ValueFramesByColumn>,
}

/// The runs of a tree, one for each partition.
struct OpenRuns {
    /// Where the segment of their rows began.
    segment: CommitSeq,
    runs: VecMap<PartitionNumber, OpenRun>,
}

struct OpenRun {
    id: RunId,
    writer: RunWriter,
}

impl OpenRuns {
    /// Whether rows with this key or a higher one may be among theirs.
    fn reach(&self, key: &[u8]) -> bool {
        let mut last_keys = self.runs.values().filter_map(|run| run.writer.last_key());
        last_keys.any(|last| key <= last)
    }

    /// Whether they are to end before further rows come.
    fn are_full(&self) -> bool {
        are_full(self.runs.values().map(|run| &run.writer), RUN_ROWS_MAX)
    }
}

impl Spill {
    pub(crate) fn new(store: &Arc<Store>) -> Spill {
        Spill {
            store: Arc::clone(store),
            sink: PageSink::of_new_rows(store),
            open: VecMap::new(),
            frames: VecMap::new(),
        }
    }

    /// Says how the values of a tree are compressed in the runs that come.
    pub(crate) fn set_frames(&mut self, tree: TreeId, frames: ValueFramesByColumn) {
        self.frames.insert(tree, frames);
    }

    /// How the values of a tree are compressed, if that was said.
    pub(crate) fn frames(&self, tree: TreeId) -> Option<&ValueFramesByColumn> {
        self.frames.get(&tree)
    }

    /// Where the values of further runs go.
    pub(crate) fn sink(&mut self) -> &mut PageSink {
        &mut self.sink
    }

    /// Writes out what all buffers hold. Fails for good: the rows are lost to the transaction then,
    /// and also where the future is dropped.
    pub(crate) async fn write_buffers(&mut self, write_set: &Mutex<WriteSet>) -> Result<()> {
        let buffers: Vec<(Arc<Tree>, RowTable)> = {
            let mut write_set = lock_write_set(write_set);
            write_set.check_usable()?;
            write_set.failure = Some(StoreErrorKind::SpillInterrupted.into());
            // Deletions from indexes may have what is kept for what frees space.
            let adds_rows = write_set.adds_rows() || write_set.entries_seq.is_some();
            self.sink.set_adds_rows(adds_rows);
            let full = write_set
                .trees
                .values_mut()
                .filter(|written| written.buffer.versions() > 0);
            full.map(|written| {
                (
                    Arc::clone(&written.tree),
                    core::mem::take(&mut written.buffer),
                )
            })
            .collect()
        };
        for (tree, buffer) in buffers {
            if let Err(error) = self.write_buffer(&tree, &buffer, write_set).await {
                lock_write_set(write_set).failure = Some(error.clone());
                return Err(error);
            }
        }
        let mut write_set = lock_write_set(write_set);
        write_set.failure = None;
        let bytes = write_set.buffer_bytes();
        // A smaller reservation is never refused.
        let _ = write_set.reservation.resize(bytes);
        Ok(())
    }

    /// Writes the rows of one buffer, each segment to runs of its own. A row that was deleted
    /// after its segment is written too, and deleted in the run, so that a savepoint can have it
    /// back.
    async fn write_buffer(
        &mut self,
        tree: &Arc<Tree>,
        buffer: &RowTable,
        write_set: &Mutex<WriteSet>,
    ) -> Result<()> {
        let id = tree.schema().tree;
        let starts = lock_write_set(write_set).savepoints.segment_starts();
        let mut ended = BTreeMap::new();
        for (segment, start) in starts.iter().enumerate() {
            let end = starts.get(segment + 1);
            let part = Segment {
                number: segment,
                start: *start,
                seq: end.map_or(WRITE_SET_SEQ, |end| CommitSeq(end.0.saturating_sub(1))),
                earlier: (0..buffer.first_since(*start)).collect(),
            };
            self.write_segment(tree, buffer, &part, write_set, &mut ended)
                .await?;
        }
        let mut write_set = lock_write_set(write_set);
        for (run, ordinal) in ended.values() {
            write_set.dead_rows_mut(id, *run).insert(*ordinal);
        }
        write_set.savepoints.move_ended(id, &ended);
        Ok(())
    }

    async fn write_segment(
        &mut self,
        tree: &Arc<Tree>,
        buffer: &RowTable,
        segment: &Segment,
        write_set: &Mutex<WriteSet>,
        ended: &mut BTreeMap<u32, (RunId, u32)>,
    ) -> Result<()> {
        let mut rows = buffer.ascend(Bound::Unbounded, segment.seq);
        let first = rows.find(|(_, version)| !segment.earlier.contains(*version));
        let Some(first) = first.map(|(key, _)| key.to_vec()) else {
            return Ok(());
        };
        self.open_segment(tree, segment, &first, write_set).await?;
        let all: Vec<usize> = (0..tree.types().len()).collect();
        let mut pacer = Pacer::new(&self.store.env);
        let mut after: Option<Vec<u8>> = None;
        loop {
            pacer.pause().await;
            let request = ChunkRequest {
                tree,
                columns: &all,
                seq: segment.seq,
                dead: (segment.number > 0).then_some(&segment.earlier),
                after: after.as_deref(),
                reverse: false,
                range: &KeyRange::default(),
                rows_max: VECTOR_ROWS,
            };
            let chunk = TableChunk::read(buffer, &request)?;
            let mut columns = chunk.columns;
            self.sink.refer(tree, &mut columns, &[], &mut pacer).await?;
            for part in tree.by_partition(&columns) {
                let open = self.open_run(tree, segment, part.number, write_set).await?;
                let versions = part.versions(&chunk.versions);
                for (version, at) in versions.iter().zip(open.writer.rows()..) {
                    if !buffer.version(*version).is_some_and(RowVersion::is_alive) {
                        let ordinal =
                            u32::try_from(at).map_err(|_| StoreError::internal("run too long"))?;
                        ended.insert(*version, (open.id, ordinal));
                    }
                }
                let rows = Batch::new(part.take(&columns), versions.len());
                open.writer.append(&rows)?;
                paced_run::encode(&mut open.writer, &mut pacer).await?;
                let (id, values) = (open.id, open.writer.take_values());
                self.sink.put_values(id, values).await?;
            }
            let id = tree.schema().tree;
            if self.open.get(&id).is_some_and(OpenRuns::are_full) {
                self.finish(write_set, Some(id)).await?;
            }
            after = chunk.last_key;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Makes sure that the open runs of a tree take rows of a segment, from key `first` on.
    async fn open_segment(
        &mut self,
        tree: &Arc<Tree>,
        segment: &Segment,
        first: &[u8],
        write_set: &Mutex<WriteSet>,
    ) -> Result<()> {
        let id = tree.schema().tree;
        let goes_on = self.open.get(&id).is_some_and(|open| {
            let same = lock_write_set(write_set)
                .savepoints
                .segment_of(open.segment)
                == segment.number;
            same && !open.reach(first)
        });
        if !goes_on {
            self.finish(write_set, Some(id)).await?;
        }
        Ok(())
    }

    /// The open run of a partition.
    async fn open_run(
        &mut self,
        tree: &Arc<Tree>,
        segment: &Segment,
        partition: PartitionNumber,
        write_set: &Mutex<WriteSet>,
    ) -> Result<&mut OpenRun> {
        let id = tree.schema().tree;
        let open = self.open.get(&id);
        if open.is_none_or(|open| !open.runs.contains_key(&partition)) {
            let run = self.new_run(tree).await?;
            lock_write_set(write_set)
                .savepoints
                .note_run(segment.number, id, run.id);
            let open = self.open.entry(id).or_insert_with(|| OpenRuns {
                segment: segment.start,
                runs: VecMap::new(),
            });
            open.runs.insert(partition, run);
        }
        let open = self.open.get_mut(&id);
        let run = open.and_then(|open| open.runs.get_mut(&partition));
        Ok(run.or_broken("open run")?)
    }

    async fn new_run(&mut self, tree: &Arc<Tree>) -> Result<OpenRun> {
        let id = self.sink.new_run();
        let writer = match self.frames.get(&tree.schema().tree) {
            None => RunWriter::new(tree.run_spec(id, tree.content()))?,
            Some(frames) => {
                let writer = self.store.lasting_run(tree, id).await?;
                writer.with_value_frames(frames)
            }
        };
        Ok(OpenRun { id, writer })
    }

    /// Gives up runs that were written since a savepoint that is returned to. Their pages are
    /// deleted by the commit, or with everything else that was spilled.
    pub(crate) fn drop_runs(&mut self, runs: &[(TreeId, RunId)]) {
        for (tree, run) in runs {
            if let Some(open) = self.open.get_mut(tree) {
                open.runs.retain(|_, open| open.id != *run);
            }
            self.sink.drop_run(*run);
        }
    }

    /// Ends open runs, of one tree or of all, and makes them readable. Fails for good, as
    /// [`Spill::write_buffers`] does.
    pub(crate) async fn finish(
        &mut self,
        write_set: &Mutex<WriteSet>,
        tree: Option<TreeId>,
    ) -> Result<()> {
        let interrupted = StoreErrorKind::SpillInterrupted.into();
        let before = lock_write_set(write_set).failure.replace(interrupted);
        let done = self.try_finish(write_set, tree).await;
        lock_write_set(write_set).failure = match &done {
            Ok(()) => before,
            Err(error) => Some(error.clone()),
        };
        done
    }

    async fn try_finish(
        &mut self,
        write_set: &Mutex<WriteSet>,
        tree: Option<TreeId>,
    ) -> Result<()> {
        let trees: Vec<TreeId> = match tree {
            Some(tree) => vec![tree],
            None => self.open.keys().copied().collect(),
        };
        let content = self.sink.end_content().await?;
        if let Some(content) = content {
            self.sink.write_pending().await?;
            let tree = Arc::clone(&self.store.state().catalog.content);
            let mut write_set = lock_write_set(write_set);
            write_set.tree_mut(&tree).runs.push(content);
        }
        for tree in trees {
            let Some(open) = self.open.remove(&tree) else {
                continue;
            };
            let mut pacer = Pacer::new(&self.store.env);
            let mut runs = Vec::with_capacity(open.runs.len());
            for run in open.runs.into_values() {
                let mut finished = paced_run::finish(run.writer, &mut pacer).await?;
                self.sink.put_finished(&mut finished).await?;
                let run = Run::new(tree, Arc::new(finished.head), finished.bytes);
                runs.push(Arc::new(run));
            }
            self.sink.write_pending().await?;
            if let Some(written) = lock_write_set(write_set).trees.get_mut(&tree) {
                written.runs.extend(runs);
            }
        }
        Ok(())
    }

    /// The runs of a tree that cannot be read yet, and how many rows they have so far.
    pub(crate) fn open_rows(&self, tree: TreeId) -> impl Iterator<Item = (RunId, u64)> {
        let runs = self.open.get(&tree).into_iter();
        let runs = runs.flat_map(|open| open.runs.values());
        runs.map(|run| (run.id, run.writer.rows()))
    }

    /// Whether rows with this key or a higher one may be in the open runs of a tree.
    pub(crate) fn open_runs_reach(&self, tree: TreeId, key: &[u8]) -> bool {
        self.open.get(&tree).is_some_and(|open| open.reach(key))
    }

    /// Adds to a publishing commit that the intent is done with.
    pub(crate) fn end_intent(&self, batch: &mut WriteBatch) {
        self.sink.end_intent(batch);
    }

    /// The runs were published.
    pub(crate) fn set_published(&mut self) {
        self.sink.set_published();
    }
}
