//! What one transaction has written so far, seen by nobody else.

mod row_locks;
mod row_ref;
mod savepoint;

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roaring::RoaringBitmap;
use varve_sort::{VecMap, VecSet};
use varve_types::{CommitSeq, ObjectId, Reservation, RunId, TreeId};

use crate::catalog::{Catalog, CatalogChange};
use crate::error::{Result, StoreError};
use crate::memtable::{MemtableSlot, RowTable};
use crate::run::Run;
use crate::tree::Tree;
use crate::write_set::savepoint::Savepoints;

pub use row_locks::RowLockKind;
pub(crate) use row_locks::{Holder, RecentRowLocks, RowLocks, RowSet};
pub(crate) use row_ref::RowRef;
pub use savepoint::SavepointId;

/// Own rows are read as of this sequence: all that are alive, whatever savepoint they came after.
pub(crate) const WRITE_SET_SEQ: CommitSeq = CommitSeq(u64::MAX - 1);

/// Private writes.
pub(crate) struct WriteSet {
    /// The snapshot's catalog with the changes applied; `None` without changes.
    pub(crate) catalog: Option<Arc<Catalog>>,
    pub(crate) changes: Vec<CatalogChange>,
    pub(crate) trees: VecMap<TreeId, WrittenTree>,
    /// Rows of the snapshot's memtables that were deleted, by tree and version.
    pub(crate) dead_versions: VecMap<(MemtableSlot, TreeId), RoaringBitmap>,
    /// Rows of runs, own ones included, that were deleted.
    pub(crate) dead_rows: VecMap<RunId, DeadRows>,
    /// The commit as of which index entries were written, where it is not that of the transaction.
    pub(crate) entries_seq: Option<CommitSeq>,
    /// What the buffers take in memory.
    pub(crate) reservation: Reservation,
    pub(crate) savepoints: Savepoints,
    pub(crate) row_locks: RowLocks,
    /// Trees that nobody else may have written to.
    pub(crate) guarded: VecSet<TreeId>,
    /// Trees that were read, where it matters: nobody else may have written to them either.
    pub(crate) watched: Option<VecSet<TreeId>>,
    /// Objects of the catalog that must be there still, as rows that were written rely on them.
    pub(crate) relied_on: VecSet<ObjectId>,
    /// Keys of rows that were added without looking whether they are new.
    pub(crate) deferred: VecMap<TreeId, BTreeSet<Vec<u8>>>,
    /// Why nothing but a rollback of the whole transaction is possible any more.
    pub(crate) failure: Option<StoreError>,
}

/// Rows of one run that a transaction deleted.
pub(crate) struct DeadRows {
    pub(crate) tree: TreeId,
    pub(crate) ordinals: Arc<RoaringBitmap>,
}

/// Inserted rows of one tree.
pub(crate) struct WrittenTree {
    pub(crate) tree: Arc<Tree>,
    /// Rows not yet spilled.
    pub(crate) buffer: RowTable,
    /// Runs that were spilled and can be read.
    pub(crate) runs: Vec<Arc<Run>>,
}

impl WrittenTree {
    fn is_empty(&self) -> bool {
        self.runs.is_empty()
            && self
                .buffer
                .ascend(Bound::Unbounded, WRITE_SET_SEQ)
                .next()
                .is_none()
    }
}

impl WriteSet {
    /// Whether there are new rows, entries of indexes aside.
    pub(crate) fn adds_rows(&self) -> bool {
        let dropped = self.dropped_trees();
        let tables = self.trees.iter();
        let mut tables =
            tables.filter(|(id, written)| written.tree.index().is_none() && !dropped.contains(id));
        tables.any(|(_, written)| !written.is_empty())
    }

    pub(crate) fn new(reservation: Reservation) -> WriteSet {
        WriteSet {
            catalog: None,
            changes: Vec::new(),
            trees: VecMap::new(),
            dead_versions: VecMap::new(),
            dead_rows: VecMap::new(),
            entries_seq: None,
            reservation,
            savepoints: Savepoints::default(),
            row_locks: RowLocks::default(),
            guarded: VecSet::new(),
            watched: None,
            relied_on: VecSet::new(),
            deferred: VecMap::new(),
            failure: None,
        }
    }

    /// Whether there is nothing to commit.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
            && self.dead_versions.is_empty()
            && self.dead_rows.is_empty()
            && self.trees.values().all(WrittenTree::is_empty)
    }

    /// Notes that a tree is read.
    pub(crate) fn note_read(&mut self, tree: TreeId) {
        if let Some(watched) = &mut self.watched {
            watched.insert(tree);
        }
    }

    pub(crate) fn check_usable(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Changes the catalog as this transaction sees it.
    pub(crate) fn change(&mut self, base: &Arc<Catalog>, change: CatalogChange) -> Result<()> {
        self.savepoints
            .note_catalog(self.catalog.as_ref(), self.changes.len());
        // Only what somebody else sees is copied.
        let catalog = self.catalog.get_or_insert_with(|| Arc::clone(base));
        Arc::make_mut(catalog).apply(&change)?;
        self.changes.push(change);
        Ok(())
    }

    pub(crate) fn tree(&self, id: TreeId) -> Option<&WrittenTree> {
        self.trees.get(&id)
    }

    pub(crate) fn tree_mut(&mut self, tree: &Arc<Tree>) -> &mut WrittenTree {
        self.trees
            .entry(tree.schema().tree)
            .or_insert_with(|| WrittenTree {
                tree: Arc::clone(tree),
                buffer: RowTable::default(),
                runs: Vec::new(),
            })
    }

    pub(crate) fn dead_versions(&self, slot: MemtableSlot, id: TreeId) -> Option<&RoaringBitmap> {
        self.dead_versions.get(&(slot, id))
    }

    pub(crate) fn dead_rows(&self, run: RunId) -> Option<Arc<RoaringBitmap>> {
        self.dead_rows
            .get(&run)
            .map(|dead| Arc::clone(&dead.ordinals))
    }

    /// Deletes rows; `run_of` names the run at a slot of the view that gave the rows.
    pub(crate) fn delete(
        &mut self,
        tree: TreeId,
        rows: &[RowRef],
        run_of: impl Fn(u32) -> Option<RunId>,
    ) {
        let now = self.savepoints.now();
        for row in rows {
            match *row {
                RowRef::WriteSet(version) => {
                    if let Some(written) = self.trees.get_mut(&tree)
                        && written.buffer.end(version, now)
                    {
                        self.savepoints.note_ended(tree, version);
                    }
                }
                RowRef::Memtable { slot, version } => {
                    let dead = self.dead_versions.entry((slot, tree)).or_default();
                    if dead.insert(version) {
                        self.savepoints.note_version((slot, tree), version);
                    }
                }
                RowRef::Run { slot, ordinal } => {
                    if let Some(run) = run_of(slot)
                        && self.dead_rows_mut(tree, run).insert(ordinal)
                    {
                        self.savepoints.note_row(run, ordinal);
                    }
                }
            }
        }
    }

    /// Deletes rows of a run that are alive.
    pub(crate) fn delete_in_run(&mut self, tree: TreeId, run: RunId, rows: &RoaringBitmap) {
        *self.dead_rows_mut(tree, run) |= rows;
        self.savepoints.note_rows(run, rows);
    }

    /// What this transaction deleted in a run of a tree.
    pub(crate) fn dead_rows_mut(&mut self, tree: TreeId, run: RunId) -> &mut RoaringBitmap {
        let dead = self.dead_rows.entry(run).or_insert_with(|| DeadRows {
            tree,
            ordinals: Arc::default(),
        });
        Arc::make_mut(&mut dead.ordinals)
    }

    /// The version of a tree's schema when the transaction ends. Whoever guards a tree gives its
    /// schema another version after rows were written, and the log has the schema before the rows.
    pub(crate) fn schema_version(&self, id: TreeId, tree: &Tree) -> u32 {
        let mut versions = self.changes.iter().filter_map(|change| match change {
            CatalogChange::CreateTree(schema) if schema.tree == id => Some(schema.version),
            _ => None,
        });
        versions.next_back().unwrap_or(tree.schema().version)
    }

    /// The trees that this transaction dropped. What it wrote to them is not committed.
    pub(crate) fn dropped_trees(&self) -> VecSet<TreeId> {
        let dropped = self.changes.iter().filter_map(|change| match change {
            CatalogChange::DropTree(tree) => Some(*tree),
            _ => None,
        });
        dropped.collect()
    }

    /// The trees whose rows were changed.
    pub(crate) fn written_trees(&self) -> VecSet<TreeId> {
        let dead = self.dead_rows.values().map(|dead| dead.tree);
        let in_memory = self.dead_versions.keys().map(|(_, tree)| *tree);
        let trees = self.trees.keys().copied().chain(in_memory);
        trees.chain(dead).collect()
    }

    /// Bytes of all buffers.
    pub(crate) fn buffer_bytes(&self) -> u64 {
        self.trees
            .values()
            .map(|written| written.buffer.bytes())
            .sum()
    }
}

/// No step under the lock of own writes can panic half-way.
pub(crate) fn lock_write_set(write_set: &Mutex<WriteSet>) -> MutexGuard<'_, WriteSet> {
    write_set.lock().unwrap_or_else(PoisonError::into_inner)
}
