//! A publishing commit: a new manifest in storage, and the runs that it lists in memory.

use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_kv::{Bytes, WriteBatch};
use varve_types::{Broken, CommitSeq, RunId};

use crate::error::Result;
use crate::format::manifest::Manifest;
use crate::format::{deletion_vector, keys};
use crate::ids::Ids;
use crate::run::{DeletionVector, Run, RunTrace, Version};
use crate::store::{State, Store};

/// What the next manifest changes.
pub(crate) struct Publication {
    pub(crate) version: Version,
    pub(crate) manifest: Manifest,
    /// Runs that are listed no more.
    removed: Vec<Arc<Run>>,
    /// Whether content may have lost its last reference.
    frees_content: bool,
}

impl Publication {
    /// A publication that changes nothing yet.
    pub(crate) fn new(state: &State) -> Publication {
        Publication {
            version: Version::clone(&state.version),
            manifest: state.manifest.clone(),
            removed: Vec::new(),
            frees_content: false,
        }
    }

    /// Takes a run off the list. Its pages are deleted once no snapshot holds it.
    pub(crate) fn remove_run(&mut self, run: &Arc<Run>) {
        self.frees_content |= run.refers;
        self.move_run(run);
    }

    /// Takes a run off the list all of whose rows are in others.
    pub(crate) fn move_run(&mut self, run: &Arc<Run>) {
        self.version.remove(run.tree, run.id);
        self.removed.push(Arc::clone(run));
    }

    /// Stores the deletion vector of a run under a new version; a run without a living row is
    /// retired.
    pub(crate) fn set_deletion_vector(
        &mut self,
        run: &Arc<Run>,
        folded: RoaringBitmap,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        if folded.len() == run.rows {
            self.remove_run(run);
            return Ok(());
        }
        self.version
            .set(Arc::new(with_deletions(run, folded, batch)?));
        Ok(())
    }

    /// Takes the rows before `from` out of a run, which are in others; those that are left go by
    /// `trace`.
    pub(crate) fn shorten_run(
        &mut self,
        run: &Arc<Run>,
        from: u32,
        trace: &Arc<RunTrace>,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let mut folded = run.deletion_vector.all();
        folded.insert_range(0..from);
        if folded.len() == run.rows {
            self.remove_run(run);
            return Ok(());
        }
        let shortened = with_deletions(run, folded, batch)?;
        let shortened = shortened.with_trace(Arc::clone(trace));
        self.version.set(Arc::new(shortened));
        Ok(())
    }

    /// Takes a run off the list and keeps its pages.
    pub(crate) fn put_aside(&mut self, run: &Run) {
        self.version.remove(run.tree, run.id);
    }

    /// Completes the manifest as of commit `seq` and adds it to the batch.
    pub(crate) fn write(
        &mut self,
        store: &Store,
        state: &State,
        seq: CommitSeq,
        batch: &mut WriteBatch,
    ) -> core::result::Result<(), Broken> {
        let mut retired: Vec<RunId> = state.retired_runs();
        retired.extend(self.removed.iter().map(|run| run.id));
        varve_sort::sort(&mut retired);
        if self.frees_content {
            store.addresses.set_sweep_due(true);
        }
        let manifest = &mut self.manifest;
        manifest.number += 1;
        manifest.deletions_through = seq;
        manifest.next_run = Ids::peek(&store.ids.run);
        manifest.next_object = Ids::peek(&store.ids.object);
        manifest.next_tree = Ids::peek(&store.ids.tree);
        manifest.next_row = Ids::peek(&store.ids.row);
        manifest.runs = self.version.entries();
        manifest.retired = retired;
        let value: Bytes = manifest.encode()?.into();
        batch.put(keys::manifest(), Bytes::clone(&value));
        batch.put(keys::manifest_copy(), value);
        Ok(())
    }

    /// Takes effect in memory, after the commit.
    pub(crate) fn install(self, state: &mut State) {
        for run in &self.removed {
            state.retire(run.id, Arc::downgrade(&run.pin));
        }
        state.version = Arc::new(self.version);
        state.manifest = self.manifest;
    }
}

/// A run whose deletion vector is stored under a new version.
fn with_deletions(run: &Run, folded: RoaringBitmap, batch: &mut WriteBatch) -> Result<Run> {
    let version = run.deletion_vector.version + 1;
    let value = deletion_vector::encode(run.id, version, &folded)?;
    batch.put(keys::deletion_vector(run.id, version), value);
    if run.deletion_vector.version > 0 {
        batch.delete(keys::deletion_vector(run.id, run.deletion_vector.version));
    }
    Ok(run.with_deletion_vector(DeletionVector::new(folded, version)))
}
