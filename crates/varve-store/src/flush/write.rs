//! Writes the newest rows of a frozen memtable to runs, one for each partition of a tree, while
//! others commit.

use std::sync::Arc;

use varve_run::RunWriter;
use varve_sort::VecMap;
use varve_types::{Batch, ColumnRef, Invariant, KeyRange, Pacer, RunId, TreeId, VECTOR_ROWS};

use crate::error::Result;
use crate::memtable::{ChunkRequest, FlushMap, FlushPlaces, TableChunk};
use crate::paced_run;
use crate::partition::{OPEN_RUNS_MAX, PartitionNumber};
use crate::run::Run;
use crate::store::{Frozen, JobControl, PageSink, Store};
use crate::tree::Tree;

/// Runs that nobody sees yet. Dropped, they are deleted.
pub(super) struct Written {
    pub(super) runs: Vec<Arc<Run>>,
    /// By tree where each version went.
    pub(super) maps: VecMap<TreeId, FlushMap>,
    pub(super) sink: PageSink,
    /// The content that the runs refer to and that is new.
    pub(super) content: Option<Arc<Run>>,
}

impl Store {
    pub(super) async fn write_frozen(
        self: &Arc<Store>,
        frozen: &Frozen,
        control: &mut JobControl,
    ) -> Result<Written> {
        let mut written = Written {
            runs: Vec::new(),
            maps: VecMap::new(),
            sink: PageSink::new(self),
            content: None,
        };
        let trees = frozen.catalog.trees.values();
        let total = trees
            .clone()
            .map(|tree| versions(frozen, tree.schema().tree));
        control.set_total(total.sum::<usize>() as u64);
        for tree in trees {
            let id = tree.schema().tree;
            let mut flush = TreeFlush {
                tree,
                sink: &mut written.sink,
                pacer: Pacer::new(&self.env),
                open: VecMap::new(),
                runs: VecMap::new(),
                opened: 0,
                places: FlushPlaces::new(versions(frozen, id)),
            };
            flush.write(frozen, control).await?;
            let TreeFlush { runs, places, .. } = flush;
            if !runs.is_empty() {
                let traces = runs.values().map(|run| Arc::clone(&run.trace));
                let map = FlushMap::new(traces.collect(), places);
                written.maps.insert(id, map);
                written.runs.extend(runs.into_values());
            }
        }
        written.content = written.sink.end_content().await?;
        written.sink.write_pending().await?;
        control.step().await?;
        Ok(written)
    }
}

/// The rows of one tree on their way to runs, one for each partition.
struct TreeFlush<'a> {
    tree: &'a Arc<Tree>,
    sink: &'a mut PageSink,
    pacer: Pacer,
    open: VecMap<PartitionNumber, OpenRun>,
    /// Those that have ended, by number.
    runs: VecMap<u32, Arc<Run>>,
    /// The number of the next run.
    opened: u32,
    places: FlushPlaces,
}

struct OpenRun {
    number: u32,
    id: RunId,
    /// The ordinal of the next row.
    next: u32,
    writer: RunWriter,
}

impl TreeFlush<'_> {
    /// Writes the rows as of the freeze.
    async fn write(&mut self, frozen: &Frozen, control: &mut JobControl) -> Result<()> {
        let all: Vec<usize> = (0..self.tree.types().len()).collect();
        let mut after: Option<Vec<u8>> = None;
        loop {
            control.step().await?;
            let chunk = {
                let tables = frozen.memtable.tables();
                let Some(table) = tables.get(&self.tree.schema().tree) else {
                    return Ok(());
                };
                let request = ChunkRequest {
                    tree: self.tree,
                    columns: &all,
                    seq: frozen.seq,
                    dead: None,
                    after: after.as_deref(),
                    reverse: false,
                    range: &KeyRange::default(),
                    rows_max: VECTOR_ROWS,
                };
                TableChunk::read(table, &request)?
            };
            if !chunk.versions.is_empty() {
                control.add_done(chunk.versions.len() as u64);
                self.write_chunk(chunk.columns, &chunk.versions).await?;
            }
            after = chunk.last_key;
            if after.is_none() {
                return self.end_runs().await;
            }
        }
    }

    async fn write_chunk(&mut self, mut columns: Vec<ColumnRef>, versions: &[u32]) -> Result<()> {
        self.sink
            .refer(self.tree, &mut columns, &[], &mut self.pacer)
            .await?;
        for part in self.tree.by_partition(&columns) {
            if !self.open.contains_key(&part.number) {
                self.open_run(part.number).await?;
            }
            let open = self.open.get_mut(&part.number).or_broken("open run")?;
            let columns = part.take(&columns);
            let chosen = part.versions(versions);
            for version in &chosen {
                self.places.set(*version, open.number, open.next)?;
                open.next = open.next.checked_add(1).or_broken("rows of a flush")?;
            }
            open.writer.append(&Batch::new(columns, chosen.len()))?;
            paced_run::encode(&mut open.writer, &mut self.pacer).await?;
            let values = open.writer.take_values();
            self.sink.put_values(open.id, values).await?;
        }
        Ok(())
    }

    async fn open_run(&mut self, partition: PartitionNumber) -> Result<()> {
        if self.open.len() >= OPEN_RUNS_MAX {
            self.end_runs().await?;
        }
        let id = self.sink.new_run();
        let spec = self.tree.run_spec(id, self.tree.content());
        let open = OpenRun {
            number: self.opened,
            id,
            next: 0,
            writer: RunWriter::new(spec)?,
        };
        self.opened += 1;
        self.open.insert(partition, open);
        Ok(())
    }

    async fn end_runs(&mut self) -> Result<()> {
        let tree = self.tree.schema().tree;
        for open in core::mem::take(&mut self.open).into_values() {
            let mut finished = paced_run::finish(open.writer, &mut self.pacer).await?;
            self.sink.put_finished(&mut finished).await?;
            let run = Run::new(tree, Arc::new(finished.head), finished.bytes);
            self.runs.insert(open.number, Arc::new(run));
        }
        Ok(())
    }
}

fn versions(frozen: &Frozen, tree: TreeId) -> usize {
    let tables = frozen.memtable.tables();
    tables.get(&tree).map_or(0, |table| table.versions())
}
