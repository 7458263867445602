//! Flush: the rows of the memtable become runs, marks become bitmaps, the log becomes empty.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_kv::{Bytes, Durability, WriteBatch};
use varve_run::RunWriter;
use varve_types::{Batch, CommitSeq, Result, SqlState, TreeId, VECTOR_ROWS};

use crate::Store;
use crate::format::{catalogue, keys, marks};
use crate::memtable::{FlushMap, Memtable};
use crate::pacer::Pacer;
use crate::page_sink::PageSink;
use crate::publication::Publication;
use crate::read::{ChunkRequest, KeyRange, TableChunk};
use crate::run::{Run, RunMarks};
use crate::state::State;
use crate::tree::Tree;

/// What a flush writes out; nothing commits while it runs, so all of it stays the newest state.
struct Input {
    seq: CommitSeq,
    memtable: Arc<Memtable>,
    trees: Vec<Arc<Tree>>,
}

impl Store {
    /// Flushes if the next commit, of so many bytes, would pass a bound. The caller has the turn.
    ///
    /// A full disk does not stop commits at once, since deletes are what would help: only what
    /// would pass a bound twice over is refused.
    pub(crate) async fn flush_if_due(self: &Arc<Store>, coming_bytes: u64) -> Result<()> {
        let (bytes, values) = {
            let state = self.state();
            let bytes = state.memtable.bytes().max(state.log.bytes());
            (bytes, state.log.values())
        };
        let (bytes_max, values_max) = (
            self.settings.memtable_bytes_max,
            self.settings.log_values_max,
        );
        let over = |times: u64| {
            bytes > 0 && bytes.saturating_add(coming_bytes) > bytes_max.saturating_mul(times)
                || u64::from(values) >= u64::from(values_max).saturating_mul(times)
        };
        if !over(1) {
            return Ok(());
        }
        match self.flush_in_turn().await {
            Err(error) if error.state() == SqlState::DISK_FULL && !over(2) => {
                self.state().counters.flush_error = Some(error.to_string());
                Ok(())
            }
            answer => answer,
        }
    }

    /// Flushes everything up to the newest commit. The caller has the turn.
    pub(crate) async fn flush_in_turn(self: &Arc<Store>) -> Result<()> {
        let input = {
            let state = self.state();
            if state.log.is_empty() {
                return Ok(());
            }
            Input {
                seq: state.last,
                memtable: Arc::clone(&state.memtable),
                trees: state.catalogue.trees.values().map(Arc::clone).collect(),
            }
        };
        let mut sink = PageSink::new(self);
        let mut runs = Vec::new();
        let mut maps = BTreeMap::new();
        for tree in &input.trees {
            if let Some((run, map)) = self.write_tree(&input, tree, &mut sink).await? {
                runs.push(run);
                maps.insert(tree.schema().tree, map);
            }
        }
        sink.write_pending().await?;

        let mut batch = WriteBatch::new();
        let publication = self.prepare_flush(&input, runs, &mut batch)?;
        sink.end_intent(&mut batch);
        self.write_change(batch, Durability::Strict).await?;
        sink.set_published();
        input.memtable.set_flushed(maps);
        let mut state = self.state();
        publication.install(&mut state);
        state.memtable = Arc::new(Memtable::default());
        // A smaller reservation is never refused.
        let _ = state.memtable_bytes.resize(0);
        state.log.forget_through(input.seq);
        state.counters.flushes += 1;
        state.counters.flush_error = None;
        Ok(())
    }

    /// Writes the newest rows of one tree as a run; `None` where it has none.
    async fn write_tree(
        self: &Arc<Store>,
        input: &Input,
        tree: &Arc<Tree>,
        sink: &mut PageSink,
    ) -> Result<Option<(Arc<Run>, FlushMap)>> {
        let id = tree.schema().tree;
        let all: Vec<usize> = (0..tree.types().len()).collect();
        let mut pacer = Pacer::new(&self.env);
        let mut writer: Option<RunWriter> = None;
        let mut ordinals = vec![u32::MAX; input.versions(id)];
        let mut run = varve_types::RunId(0);
        let mut after: Option<Vec<u8>> = None;
        let mut next = 0_u32;
        loop {
            pacer.pause().await;
            let chunk = {
                let tables = input.memtable.tables();
                let Some(table) = tables.get(&id) else {
                    return Ok(None);
                };
                let request = ChunkRequest {
                    tree,
                    columns: &all,
                    seq: input.seq,
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
                        writer.insert(RunWriter::new(tree.run_spec(run))?)
                    }
                };
                for version in &chunk.versions {
                    if let Some(ordinal) = ordinals.get_mut(*version as usize) {
                        *ordinal = next;
                    }
                    next = next.saturating_add(1);
                }
                writer.append(&Batch::new(chunk.columns, chunk.versions.len()))?;
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
        let mut finished = writer.finish()?;
        sink.put_finished(&mut finished).await?;
        let bytes = finished.bytes;
        let run = Run::new(id, Arc::new(finished.head), bytes);
        let map = FlushMap {
            run: Arc::clone(&run.pin.trace),
            ordinals,
        };
        Ok(Some((Arc::new(run), map)))
    }

    /// Puts together the publishing commit.
    fn prepare_flush(
        &self,
        input: &Input,
        runs: Vec<Arc<Run>>,
        batch: &mut WriteBatch,
    ) -> Result<Publication> {
        let state = self.state();
        let mut publication = Publication::new(&state);
        for run in runs {
            publication.version.set(run);
        }
        fold_marks(&state, &mut publication, batch)?;
        let (old, new) = (state.manifest.catalogue_version, state.catalogue.version);
        if old != new {
            let value: Bytes = catalogue::encode(&state.catalogue).into();
            batch.put(keys::catalogue(new), Bytes::clone(&value));
            batch.put(keys::catalogue_copy(new), value);
            batch.delete(keys::catalogue(old));
            batch.delete(keys::catalogue_copy(old));
            publication.manifest.catalogue_version = new;
        }
        batch.delete_range(keys::log_through(input.seq));
        publication.manifest.flushed = input.seq;
        publication.write(self, &state, input.seq, batch);
        Ok(publication)
    }
}

impl Input {
    fn versions(&self, tree: TreeId) -> usize {
        let tables = self.memtable.tables();
        tables.get(&tree).map_or(0, |table| table.versions())
    }
}

/// Recent marks go into a new version of each run's bitmap; a run without a living row is retired.
fn fold_marks(state: &State, publication: &mut Publication, batch: &mut WriteBatch) -> Result<()> {
    for run in state.version.all_runs() {
        if !run.marks.has_recent() {
            continue;
        }
        let folded = run.marks.all();
        if folded.len() == run.rows {
            publication.remove_run(run);
            continue;
        }
        let version = run.marks.version + 1;
        let value = marks::encode(run.id, version, &folded)?;
        batch.put(keys::marks(run.id, version), value);
        batch.delete(keys::marks(run.id, run.marks.version));
        let marks = RunMarks::new(folded, version);
        publication.version.set(Arc::new(run.with_marks(marks)));
    }
    Ok(())
}
