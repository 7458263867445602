//! Which runs the trees have, as one immutable value.

use std::sync::Arc;

use varve_sort::VecMap;
use varve_types::{RunId, TreeId};

use crate::format::manifest::RunEntry;
use crate::run::Run;

/// The runs after one publishing commit. Snapshots pin it.
#[derive(Clone, Default)]
pub(crate) struct Version {
    trees: VecMap<TreeId, Vec<Arc<Run>>>,
}

impl Version {
    /// The runs of a tree, ordered by id.
    pub(crate) fn runs(&self, tree: TreeId) -> &[Arc<Run>] {
        self.trees.get(&tree).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn all_runs(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.trees.values().flatten()
    }

    pub(crate) fn run(&self, tree: TreeId, run: RunId) -> Option<&Arc<Run>> {
        let runs = self.runs(tree);
        let at = runs.binary_search_by_key(&run, |found| found.id);
        runs.get(at.ok()?)
    }

    /// Adds a run, or puts another state of it in its place.
    pub(crate) fn set(&mut self, run: Arc<Run>) {
        let runs = self.trees.entry(run.tree).or_default();
        match runs.binary_search_by_key(&run.id, |found| found.id) {
            Ok(at) => {
                if let Some(slot) = runs.get_mut(at) {
                    *slot = run;
                }
            }
            Err(at) => runs.insert(at, run),
        }
        debug_assert!(
            runs.is_sorted_by(|a, b| a.id < b.id),
            "runs of a tree are ordered by id"
        );
    }

    pub(crate) fn remove(&mut self, tree: TreeId, run: RunId) {
        if let Some(runs) = self.trees.get_mut(&tree) {
            runs.retain(|found| found.id != run);
        }
    }

    /// The manifest's list.
    pub(crate) fn entries(&self) -> Vec<RunEntry> {
        let entry = |run: &Arc<Run>| RunEntry {
            tree: run.tree,
            run: run.id,
            rows: run.rows,
            entries_seq: run.entries_seq,
            bytes: run.bytes,
            deletion_vector_version: run.deletion_vector.version,
            deleted_rows: run.deletion_vector.folded.len(),
        };
        self.all_runs().map(entry).collect()
    }
}
