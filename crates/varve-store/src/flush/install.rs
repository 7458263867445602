//! The publishing commit of a flush.

use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_kv::{Bytes, Durability, WriteBatch};
use varve_sort::VecMap;
use varve_types::{RunId, TreeId};

use crate::content_tree::TREE;
use crate::error::Result;
use crate::flush::write::Written;
use crate::format::{catalog, keys};
use crate::memtable::{FlushMap, Memtable};
use crate::store::{Frozen, Publication, Store};

impl Store {
    /// Publishes what a flush wrote, with the deletions of every commit so far: from here on the
    /// log needs no record up to the freeze, and no delete since then of a row that lay in the
    /// frozen memtable.
    pub(super) async fn install(
        self: &Arc<Store>,
        frozen: &Frozen,
        written: Written,
    ) -> Result<()> {
        let _commit_lock = self.take_commit_lock().await;
        self.state().check_usable()?;
        let mut batch = WriteBatch::new();
        let publication = self.prepare_flush(frozen, &written, &mut batch)?;
        let Written {
            mut runs,
            maps,
            mut sink,
            ..
        } = written;
        sink.end_intent(&mut batch);
        self.write_change(batch, Durability::Strict).await?;
        sink.set_published();
        frozen.memtable.set_flushed(maps);
        let mut state = self.state();
        publication.install(&mut state);
        if let Some(awaited) = frozen.awaited_runs.upgrade() {
            // They may refer to content that was published since the freeze.
            runs.extend(state.version.runs(TREE).iter().cloned());
            // A memtable is flushed once.
            let _ = awaited.set(runs);
        }
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
            if run.deletion_vector.has_recent() {
                publication.set_deletion_vector(run, run.deletion_vector.all(), batch)?;
            }
        }
        let maps = written.maps.iter();
        let dead = maps.flat_map(|(tree, map)| dead_since(&frozen.memtable, *tree, map));
        let mut dead: VecMap<RunId, RoaringBitmap> = dead.collect();
        for run in &written.runs {
            // A tree may have been dropped since the freeze.
            if !state.catalog.trees.contains_key(&run.tree) {
                publication.remove_run(run);
                continue;
            }
            publication.version.set(Arc::clone(run));
            if let Some(dead) = dead.remove(&run.id) {
                publication.set_deletion_vector(run, dead, batch)?;
            }
        }
        if let Some(content) = &written.content {
            publication.version.set(Arc::clone(content));
        }
        // Later changes of the catalog are in the log still, behind the inserts that they follow.
        let (old, new) = (state.manifest.catalog_version, frozen.catalog.version);
        if old != new {
            let value: Bytes = catalog::encode(&frozen.catalog).into();
            batch.put(keys::catalog(new), Bytes::clone(&value));
            batch.put(keys::catalog_copy(new), value);
            batch.delete(keys::catalog(old));
            batch.delete(keys::catalog_copy(old));
            publication.manifest.catalog_version = new;
        }
        batch.delete_range(keys::log_through(frozen.seq));
        publication.manifest.flushed = frozen.seq;
        publication.write(self, &state, state.last, batch)?;
        Ok(publication)
    }
}

/// The rows of new runs that commits since the freeze deleted.
fn dead_since(memtable: &Memtable, tree: TreeId, map: &FlushMap) -> VecMap<RunId, RoaringBitmap> {
    let tables = memtable.tables();
    let table = tables.get(&tree);
    map.rows_of(|version| {
        let version = table.and_then(|table| table.version(version));
        version.is_some_and(|version| !version.is_alive())
    })
}
