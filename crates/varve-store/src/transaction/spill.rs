//! Writes the rows of a transaction out before its commit, to runs that only the commit publishes.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex};

use varve_kv::WriteBatch;
use varve_run::RunWriter;
use varve_types::{Batch, Result, RunId, TreeId, VECTOR_ROWS};

use crate::Store;
use crate::memtable::RowTable;
use crate::pacer::Pacer;
use crate::page_sink::PageSink;
use crate::read::{ChunkRequest, KeyRange, OWN_SEQ, TableChunk, lock_own};
use crate::run::Run;
use crate::transaction::own::Own;
use crate::tree::Tree;

/// A run is ended at this many rows, so that ordinals fit 32 bits.
const RUN_ROWS_MAX: u64 = 1 << 31;

/// Runs on their way out.
pub(crate) struct Spill {
    store: Arc<Store>,
    sink: PageSink,
    /// By tree the run that takes further rows, as long as they ascend.
    open: BTreeMap<TreeId, OpenRun>,
}

struct OpenRun {
    id: RunId,
    writer: RunWriter,
}

impl Spill {
    pub(crate) fn new(store: &Arc<Store>) -> Spill {
        Spill {
            store: Arc::clone(store),
            sink: PageSink::new(store),
            open: BTreeMap::new(),
        }
    }

    /// Where the values of further runs go.
    pub(crate) fn sink(&mut self) -> &mut PageSink {
        &mut self.sink
    }

    /// Writes out what all buffers hold.
    pub(crate) async fn write_buffers(&mut self, own: &Mutex<Own>) -> Result<()> {
        let buffers: Vec<(Arc<Tree>, RowTable)> = {
            let mut own = lock_own(own);
            let full = own
                .trees
                .values_mut()
                .filter(|own| own.buffer.versions() > 0);
            full.map(|own| (Arc::clone(&own.tree), core::mem::take(&mut own.buffer)))
                .collect()
        };
        for (tree, buffer) in buffers {
            self.write_buffer(&tree, &buffer, own).await?;
        }
        let mut own = lock_own(own);
        let bytes = own.buffer_bytes();
        // A smaller reservation is never refused.
        let _ = own.reservation.resize(bytes);
        Ok(())
    }

    async fn write_buffer(
        &mut self,
        tree: &Arc<Tree>,
        buffer: &RowTable,
        own: &Mutex<Own>,
    ) -> Result<()> {
        let id = tree.schema().tree;
        let first = buffer.ascend(Bound::Unbounded, OWN_SEQ).next();
        let Some(first) = first.map(|(key, _)| key.to_vec()) else {
            return Ok(());
        };
        let goes_on = self.open.get(&id).is_some_and(|open| {
            let above = open
                .writer
                .last_key()
                .is_none_or(|last| last < first.as_slice());
            above && open.writer.rows() < RUN_ROWS_MAX
        });
        if !goes_on {
            self.finish(own, Some(id)).await?;
            let run = self.sink.new_run();
            let writer = RunWriter::new(tree.run_spec(run))?;
            self.open.insert(id, OpenRun { id: run, writer });
        }
        let Some(open) = self.open.get_mut(&id) else {
            return Ok(());
        };
        let all: Vec<usize> = (0..tree.types().len()).collect();
        let mut pacer = Pacer::new(&self.store.env);
        let mut after: Option<Vec<u8>> = None;
        loop {
            pacer.pause().await;
            let request = ChunkRequest {
                tree,
                columns: &all,
                seq: OWN_SEQ,
                dead: None,
                after: after.as_deref(),
                reverse: false,
                range: &KeyRange::default(),
                rows_max: VECTOR_ROWS,
            };
            let chunk = TableChunk::read(buffer, &request)?;
            open.writer
                .append(&Batch::new(chunk.columns, chunk.versions.len()))?;
            self.sink
                .put_values(open.id, open.writer.take_values())
                .await?;
            after = chunk.last_key;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Ends open runs, of one tree or of all, and makes them readable.
    pub(crate) async fn finish(&mut self, own: &Mutex<Own>, tree: Option<TreeId>) -> Result<()> {
        let trees: Vec<TreeId> = match tree {
            Some(tree) => vec![tree],
            None => self.open.keys().copied().collect(),
        };
        for tree in trees {
            let Some(open) = self.open.remove(&tree) else {
                continue;
            };
            let mut finished = open.writer.finish()?;
            self.sink.put_finished(&mut finished).await?;
            self.sink.write_pending().await?;
            let run = Run::new(tree, Arc::new(finished.head), finished.bytes);
            if let Some(own) = lock_own(own).trees.get_mut(&tree) {
                own.runs.push(Arc::new(run));
            }
        }
        Ok(())
    }

    /// Rows of a tree that are in no buffer and no readable run.
    pub(crate) fn open_rows(&self, tree: TreeId) -> u64 {
        self.open.get(&tree).map_or(0, |open| open.writer.rows())
    }

    /// Whether rows with this key or a higher one may be in the open run of a tree.
    pub(crate) fn open_run_reaches(&self, tree: TreeId, key: &[u8]) -> bool {
        let last = self.open.get(&tree).and_then(|open| open.writer.last_key());
        last.is_some_and(|last| key <= last)
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
