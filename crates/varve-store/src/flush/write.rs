//! Writes the newest rows of a frozen memtable to runs, while others commit.

use std::sync::Arc;

use varve_run::RunWriter;
use varve_sort::VecMap;
use varve_types::{Batch, Broken, Invariant, KeyRange, Pacer, RunId, TreeId, VECTOR_ROWS};

use crate::error::Result;
use crate::memtable::{ChunkRequest, FlushMap, TableChunk};
use crate::paced_run;
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
            let run = self
                .write_tree(frozen, tree, &mut written.sink, control)
                .await?;
            if let Some((run, map)) = run {
                written.runs.push(run);
                written.maps.insert(tree.schema().tree, map);
            }
        }
        written.content = written.sink.end_content().await?;
        written.sink.write_pending().await?;
        control.step().await?;
        Ok(written)
    }

    /// Writes the rows of one tree as of the freeze as a run; `None` where it has none.
    async fn write_tree(
        self: &Arc<Store>,
        frozen: &Frozen,
        tree: &Arc<Tree>,
        sink: &mut PageSink,
        control: &mut JobControl,
    ) -> Result<Option<(Arc<Run>, FlushMap)>> {
        let id = tree.schema().tree;
        let all: Vec<usize> = (0..tree.types().len()).collect();
        let mut writer: Option<RunWriter> = None;
        let mut ordinals = vec![u32::MAX; versions(frozen, id)];
        let mut run = RunId(0);
        let mut after: Option<Vec<u8>> = None;
        let mut next = 0_u32;
        let mut pacer = Pacer::new(&self.env);
        loop {
            control.step().await?;
            let chunk = {
                let tables = frozen.memtable.tables();
                let Some(table) = tables.get(&id) else {
                    return Ok(None);
                };
                let request = ChunkRequest {
                    tree,
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
                let writer = match &mut writer {
                    Some(writer) => writer,
                    None => {
                        run = sink.new_run();
                        writer.insert(RunWriter::new(tree.run_spec(run, tree.content()))?)
                    }
                };
                next = note_ordinals(&chunk.versions, next, &mut ordinals)?;
                let mut columns = chunk.columns;
                sink.refer(tree, &mut columns, &[], &mut pacer).await?;
                writer.append(&Batch::new(columns, chunk.versions.len()))?;
                paced_run::encode(writer, &mut pacer).await?;
                control.add_done(chunk.versions.len() as u64);
                sink.put_values(run, writer.take_values()).await?;
            }
            after = chunk.last_key;
            if after.is_none() {
                break;
            }
        }
        let Some(writer) = writer else {
            return Ok(None);
        };
        let mut finished = paced_run::finish(writer, &mut pacer).await?;
        sink.put_finished(&mut finished).await?;
        let bytes = finished.bytes;
        let run = Run::new(id, Arc::new(finished.head), bytes);
        let map = FlushMap {
            run: Arc::clone(&run.trace),
            ordinals,
        };
        Ok(Some((Arc::new(run), map)))
    }
}

/// Gives versions the ordinals from `next` on; the one after.
fn note_ordinals(versions: &[u32], mut next: u32, ordinals: &mut [u32]) -> Result<u32, Broken> {
    for version in versions {
        let ordinal = ordinals.get_mut(*version as usize);
        *ordinal.or_broken("version of a flush")? = next;
        next = next.checked_add(1).or_broken("rows of a flush")?;
    }
    Ok(next)
}

fn versions(frozen: &Frozen, tree: TreeId) -> usize {
    let tables = frozen.memtable.tables();
    tables.get(&tree).map_or(0, |table| table.versions())
}
