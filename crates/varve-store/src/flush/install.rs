//! The publishing commit of a flush.

use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_kv::{Bytes, Durability, WriteBatch};
use varve_types::TreeId;

use crate::Store;
use crate::error::Result;
use crate::flush::write::Written;
use crate::format::{catalogue, keys, marks};
use crate::memtable::{FlushMap, Memtable};
use crate::publication::Publication;
use crate::run::{Run, RunMarks};
use crate::state::Frozen;

impl Store {
    /// Publishes what a flush wrote, with the marks of every commit so far: from here on the log
    /// needs no record up to the freeze, and no delete since then of a row that lay in the frozen
    /// memtable.
    pub(super) async fn install(
        self: &Arc<Store>,
        frozen: &Frozen,
        written: Written,
    ) -> Result<()> {
        let _turn = self.take_turn().await;
        self.state().check_usable()?;
        let mut batch = WriteBatch::new();
        let publication = self.prepare_flush(frozen, &written, &mut batch)?;
        let Written { maps, mut sink, .. } = written;
        sink.end_intent(&mut batch);
        self.write_change(batch, Durability::Strict).await?;
        sink.set_published();
        frozen.memtable.set_flushed(maps);
        let mut state = self.state();
        publication.install(&mut state);
        state.thaw();
        Ok(())
    }

    /// Puts together the publishing commit.
    fn prepare_flush(
        &self,
        frozen: &Frozen,
        written: &Written,
        batch: &mut WriteBatch,
    ) -> Result<Publication> {
        let state = self.state();
        let mut publication = Publication::new(&state);
        for run in state.version.all_runs() {
            if run.marks.has_recent() {
                set_marks(run, run.marks.all(), &mut publication, batch)?;
            }
        }
        for run in &written.runs {
            // A tree may have been dropped since the freeze.
            let map = written.maps.get(&run.tree);
            match map.filter(|_| state.catalogue.trees.contains_key(&run.tree)) {
                Some(map) => {
                    let dead = dead_since(&frozen.memtable, run.tree, map);
                    publication.version.set(Arc::clone(run));
                    if !dead.is_empty() {
                        set_marks(run, dead, &mut publication, batch)?;
                    }
                }
                None => publication.remove_run(run),
            }
        }
        // Later changes of the catalogue are in the log still, behind the inserts that they follow.
        let (old, new) = (state.manifest.catalogue_version, frozen.catalogue.version);
        if old != new {
            let value: Bytes = catalogue::encode(&frozen.catalogue).into();
            batch.put(keys::catalogue(new), Bytes::clone(&value));
            batch.put(keys::catalogue_copy(new), value);
            batch.delete(keys::catalogue(old));
            batch.delete(keys::catalogue_copy(old));
            publication.manifest.catalogue_version = new;
        }
        batch.delete_range(keys::log_through(frozen.seq));
        publication.manifest.flushed = frozen.seq;
        publication.write(self, &state, state.last, batch)?;
        Ok(publication)
    }
}

/// Stores the marks of a run under a new version; a run without a living row is retired.
fn set_marks(
    run: &Arc<Run>,
    folded: RoaringBitmap,
    publication: &mut Publication,
    batch: &mut WriteBatch,
) -> Result<()> {
    if folded.len() == run.rows {
        publication.remove_run(run);
        return Ok(());
    }
    let version = run.marks.version + 1;
    let value = marks::encode(run.id, version, &folded)?;
    batch.put(keys::marks(run.id, version), value);
    if run.marks.version > 0 {
        batch.delete(keys::marks(run.id, run.marks.version));
    }
    let marks = RunMarks::new(folded, version);
    publication.version.set(Arc::new(run.with_marks(marks)));
    Ok(())
}

/// The rows of a new run that commits since the freeze deleted.
fn dead_since(memtable: &Memtable, tree: TreeId, map: &FlushMap) -> RoaringBitmap {
    let tables = memtable.tables();
    let table = tables.get(&tree);
    let versions = map.ordinals.iter().zip(0..);
    let written = versions.filter(|(ordinal, _)| **ordinal != u32::MAX);
    let dead = written.filter(|(_, version)| {
        let version = table.and_then(|table| table.version(*version));
        version.is_some_and(|version| !version.is_alive())
    });
    dead.map(|(ordinal, _)| *ordinal).collect()
}
