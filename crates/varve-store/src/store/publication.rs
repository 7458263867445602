//! A publishing commit: a new manifest in storage, and the runs that it lists in memory.

use std::sync::Arc;

use varve_kv::{Bytes, WriteBatch};
use varve_types::{Broken, CommitSeq, RunId};

use crate::format::keys;
use crate::format::manifest::Manifest;
use crate::ids::Ids;
use crate::run::{Run, Version};
use crate::store::{State, Store};

/// What the next manifest changes.
pub(crate) struct Publication {
    pub(crate) version: Version,
    pub(crate) manifest: Manifest,
    /// Runs that are listed no more.
    removed: Vec<Arc<Run>>,
}

impl Publication {
    /// A publication that changes nothing yet.
    pub(crate) fn new(state: &State) -> Publication {
        Publication {
            version: Version::clone(&state.version),
            manifest: state.manifest.clone(),
            removed: Vec::new(),
        }
    }

    /// Takes a run off the list. Its pages are deleted once no snapshot holds it.
    pub(crate) fn remove_run(&mut self, run: &Arc<Run>) {
        self.version.remove(run.tree, run.id);
        self.removed.push(Arc::clone(run));
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
    ) -> Result<(), Broken> {
        let mut retired: Vec<RunId> = state.retired_runs();
        retired.extend(self.removed.iter().map(|run| run.id));
        varve_sort::sort(&mut retired);
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
