//! Savepoints: what was written since each of them, and how to take it back.
//!
//! Own rows carry the sequence of the savepoint after which they came. The savepoints in force cut
//! the writes of a transaction into segments; rows of two segments never share a spilled run, so
//! that a rollback drops whole runs. Taking a savepoint copies nothing; what is noted for it is as
//! much as was deleted since.

use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_sort::VecMap;
use varve_types::{CommitSeq, RunId, TreeId};

use crate::catalog::{Catalog, CatalogChange};
use crate::error::{Result, StoreError};
use crate::memtable::MemtableSlot;
use crate::write_set::WriteSet;

/// Names a savepoint of one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SavepointId(u64);

/// What must be undone to come back to one savepoint from the next one, or from now.
#[derive(Default)]
pub(crate) struct Savepoint {
    /// The sequence of the rows that came first after it.
    seq: CommitSeq,
    /// Versions of memtables that were deleted.
    versions: VecMap<(MemtableSlot, TreeId), RoaringBitmap>,
    /// Rows of runs that were deleted.
    rows: VecMap<RunId, RoaringBitmap>,
    /// Own rows in buffers that were deleted.
    ended: VecMap<TreeId, RoaringBitmap>,
    /// Runs that were spilled.
    runs: Vec<(TreeId, RunId)>,
    /// The catalog and the number of its changes at the savepoint, if it was changed after.
    catalog: Option<(Option<Arc<Catalog>>, usize)>,
}

impl Savepoint {
    /// Takes in what was done after a later savepoint, which is released.
    fn absorb(&mut self, later: Savepoint) {
        merge(&mut self.versions, later.versions);
        merge(&mut self.rows, later.rows);
        merge(&mut self.ended, later.ended);
        self.runs.extend(later.runs);
        if self.catalog.is_none() {
            self.catalog = later.catalog;
        }
    }
}

fn merge<K: Ord>(into: &mut VecMap<K, RoaringBitmap>, from: VecMap<K, RoaringBitmap>) {
    for (key, bits) in from {
        *into.entry(key).or_default() |= bits;
    }
}

/// The savepoints in force, the oldest first, and the sequence of what is written now.
#[derive(Default)]
pub(crate) struct Savepoints {
    stack: Vec<Savepoint>,
    now: u64,
}

impl Savepoints {
    /// What rows written now carry.
    pub(crate) fn now(&self) -> CommitSeq {
        CommitSeq(self.now)
    }

    fn last_mut(&mut self) -> Option<&mut Savepoint> {
        self.stack.last_mut()
    }

    /// The sequences at which segments begin.
    pub(crate) fn segment_starts(&self) -> Vec<CommitSeq> {
        let starts = self.stack.iter().map(|savepoint| savepoint.seq);
        core::iter::once(CommitSeq(0)).chain(starts).collect()
    }

    /// The number of the segment to which rows of a sequence belong now.
    pub(crate) fn segment_of(&self, seq: CommitSeq) -> usize {
        self.stack.partition_point(|savepoint| savepoint.seq <= seq)
    }

    pub(crate) fn note_version(&mut self, tree: (MemtableSlot, TreeId), version: u32) {
        if let Some(last) = self.last_mut() {
            last.versions.entry(tree).or_default().insert(version);
        }
    }

    pub(crate) fn note_row(&mut self, run: RunId, ordinal: u32) {
        if let Some(last) = self.last_mut() {
            last.rows.entry(run).or_default().insert(ordinal);
        }
    }

    pub(crate) fn note_rows(&mut self, run: RunId, rows: &RoaringBitmap) {
        if let Some(last) = self.last_mut() {
            *last.rows.entry(run).or_default() |= rows;
        }
    }

    pub(crate) fn note_ended(&mut self, tree: TreeId, version: u32) {
        if let Some(last) = self.last_mut() {
            last.ended.entry(tree).or_default().insert(version);
        }
    }

    pub(crate) fn note_catalog(&mut self, before: Option<&Arc<Catalog>>, changes: usize) {
        if let Some(last) = self.last_mut() {
            let before = || (before.map(Arc::clone), changes);
            last.catalog.get_or_insert_with(before);
        }
    }

    /// Rows of segment `segment` go into a new run.
    pub(crate) fn note_run(&mut self, segment: usize, tree: TreeId, run: RunId) {
        let at = segment.checked_sub(1);
        if let Some(savepoint) = at.and_then(|at| self.stack.get_mut(at)) {
            savepoint.runs.push((tree, run));
        }
    }

    /// A new run holds rows that come after the last savepoint.
    pub(crate) fn note_newest_run(&mut self, tree: TreeId, run: RunId) {
        self.note_run(self.stack.len(), tree, run);
    }

    /// The buffer of a tree was spilled: its versions that had ended are rows of runs now, at the
    /// places given, or gone for good.
    pub(crate) fn move_ended(
        &mut self,
        tree: TreeId,
        places: &std::collections::BTreeMap<u32, (RunId, u32)>,
    ) {
        for savepoint in &mut self.stack {
            let ended = savepoint.ended.remove(&tree).unwrap_or_default();
            for (run, ordinal) in ended.iter().filter_map(|version| places.get(&version)) {
                savepoint.rows.entry(*run).or_default().insert(*ordinal);
            }
        }
    }
}

impl WriteSet {
    /// Sets the point that [`WriteSet::rollback_to`] returns to.
    pub(crate) fn savepoint(&mut self) -> SavepointId {
        self.savepoints.now += 1;
        let seq = self.savepoints.now();
        self.savepoints.stack.push(Savepoint {
            seq,
            ..Savepoint::default()
        });
        SavepointId(seq.0)
    }

    /// Forgets a savepoint and all that came after it; what was written stays.
    pub(crate) fn release(&mut self, id: SavepointId) -> Result<()> {
        let at = self.savepoint_at(id)?;
        let later = self.savepoints.stack.split_off(at);
        if let Some(last) = self.savepoints.last_mut() {
            for later in later {
                last.absorb(later);
            }
        }
        Ok(())
    }

    /// Takes back what was written since a savepoint, which stays in force. Returns the runs that
    /// were spilled since.
    pub(crate) fn rollback_to(&mut self, id: SavepointId) -> Result<Vec<(TreeId, RunId)>> {
        let at = self.savepoint_at(id)?;
        let mut since = Savepoint::default();
        for later in self.savepoints.stack.split_off(at) {
            since.absorb(later);
        }
        for (tree, versions) in &since.versions {
            revive(&mut self.dead_versions, tree, |dead| *dead -= versions);
        }
        for (tree, versions) in &since.ended {
            if let Some(written) = self.trees.get_mut(tree) {
                for version in versions {
                    written.buffer.revive(version);
                }
            }
        }
        // After the step before: of what was written and deleted since, nothing stays.
        for written in self.trees.values_mut() {
            written.buffer.hide_since(CommitSeq(id.0));
        }
        for (run, rows) in &since.rows {
            if let Some(dead) = self.dead_rows.get_mut(run) {
                *Arc::make_mut(&mut dead.ordinals) -= rows;
                if dead.ordinals.is_empty() {
                    self.dead_rows.remove(run);
                }
            }
        }
        for (tree, run) in &since.runs {
            self.dead_rows.remove(run);
            if let Some(written) = self.trees.get_mut(tree) {
                written.runs.retain(|written| written.id != *run);
            }
        }
        if let Some((catalog, changes)) = since.catalog {
            self.catalog = catalog;
            // Nothing may be left of trees, and versions of trees, that do not exist any more.
            for change in self.changes.drain(changes.min(self.changes.len())..) {
                if let CatalogChange::CreateTree(schema) = change
                    && let Some(written) = self.trees.get(&schema.tree)
                    && written.tree.schema().version == schema.version
                {
                    self.trees.remove(&schema.tree);
                }
            }
        }
        self.savepoints.stack.push(Savepoint {
            seq: CommitSeq(id.0),
            ..Savepoint::default()
        });
        Ok(since.runs)
    }

    fn savepoint_at(&self, id: SavepointId) -> Result<usize> {
        let stack = &self.savepoints.stack;
        let found = stack.binary_search_by_key(&id.0, |savepoint| savepoint.seq.0);
        found.map_err(|_| StoreError::internal("the savepoint is not in force"))
    }
}

/// Takes some bits out of the bitmap at a key, and an empty bitmap out of the map.
fn revive<K: Ord>(
    dead: &mut VecMap<K, RoaringBitmap>,
    key: &K,
    subtract: impl FnOnce(&mut RoaringBitmap),
) {
    if let Some(bits) = dead.get_mut(key) {
        subtract(bits);
        if bits.is_empty() {
            dead.remove(key);
        }
    }
}
