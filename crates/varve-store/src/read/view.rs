//! One tree as one transaction sees it.

use std::ops::Bound;
use std::sync::{Arc, Mutex};

use roaring::RoaringBitmap;
use varve_types::{CommitSeq, TreeId};

use crate::memtable::{MemtableSlot, RowTable};
use crate::run::{Run, within};
use crate::store::Snapshot;
use crate::tree::Tree;
use crate::write_set::{WriteSet, lock_write_set};

/// The runs, the memtables and the own writes of one tree. The transaction must not write while a
/// view is in use.
pub(crate) struct View {
    pub(crate) tree: Arc<Tree>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) write_set: Arc<Mutex<WriteSet>>,
    /// Those of the snapshot, then those that the transaction spilled.
    pub(crate) runs: Vec<RunView>,
}

/// A run, and what the transaction itself deleted in it.
#[derive(Clone)]
pub(crate) struct RunView {
    pub(crate) run: Arc<Run>,
    own_dead: Option<Arc<RoaringBitmap>>,
}

impl View {
    pub(crate) fn new(
        tree: Arc<Tree>,
        snapshot: Arc<Snapshot>,
        write_set: Arc<Mutex<WriteSet>>,
    ) -> View {
        let id = tree.schema().tree;
        let runs = {
            let write_set = lock_write_set(&write_set);
            let spilled = write_set
                .tree(id)
                .map_or(&[][..], |written| written.runs.as_slice());
            let runs = snapshot.version.runs(id).iter().chain(spilled);
            let view = |run: &Arc<Run>| RunView {
                run: Arc::clone(run),
                own_dead: write_set.dead_rows(run.id),
            };
            runs.map(view).collect()
        };
        View {
            tree,
            snapshot,
            write_set,
            runs,
        }
    }

    /// The content to which rows of this view refer. Runs that the transaction spilled may refer to
    /// what was published since its snapshot.
    pub(crate) fn content(&self) -> View {
        let mut content = View::new(
            Arc::clone(&self.snapshot.catalog.content),
            Arc::clone(&self.snapshot),
            Arc::clone(&self.write_set),
        );
        let published = self.snapshot.version.runs(self.id()).len();
        let mut spilled = self.runs.iter().skip(published);
        if spilled.any(|view| view.run.refers) {
            let version = Arc::clone(&self.snapshot.store.state().version);
            for run in version.runs(content.id()) {
                if content.runs.iter().all(|known| known.run.id != run.id) {
                    content.runs.push(RunView {
                        run: Arc::clone(run),
                        own_dead: None,
                    });
                }
            }
        }
        content
    }

    /// Those of some stored columns of which runs have references.
    pub(crate) fn referring(&self, columns: &[usize]) -> Vec<usize> {
        let referring = || self.runs.iter().filter(|view| view.run.refers);
        if referring().next().is_none() {
            return Vec::new();
        }
        let refers = |stored: &usize| {
            let column = self.tree.columns().get(*stored);
            let mut heads = referring().filter_map(|view| view.run.head().ok());
            column.is_some_and(|column| {
                heads.any(|head| head.reference_position(column.id).is_some())
            })
        };
        columns.iter().copied().filter(refers).collect()
    }

    pub(crate) fn id(&self) -> TreeId {
        self.tree.schema().tree
    }

    /// The commit that published a run, where its rows do not tell it; `None` for runs that the
    /// transaction spilled.
    pub(crate) fn run_seq(&self, slot: u32) -> Option<CommitSeq> {
        let published = self.snapshot.version.runs(self.id());
        published.get(slot as usize).map(|run| run.entries_seq)
    }

    /// Whether a row may have a key from `first` to `last`; false is certain. Own rows count once
    /// they are in runs.
    pub(crate) fn may_have_between(&self, first: &[u8], last: &[u8]) -> bool {
        let overlaps = |run: &RunView| match run.run.head() {
            Ok(head) => head
                .key_range()
                .is_some_and(|(low, high)| low <= last && first <= high),
            // Who looks closer is told what is wrong with it.
            Err(_) => true,
        };
        let seq = self.snapshot.seq;
        let in_memtable = |table: &RowTable, _: Option<&RoaringBitmap>| {
            let mut rows = table.ascend(Bound::Included(first), seq);
            rows.next().is_some_and(|(key, _)| key <= last)
        };
        let in_memtables = MemtableSlot::ALL
            .into_iter()
            .any(|slot| self.with_memtable(slot, in_memtable) == Some(true));
        self.runs.iter().any(overlaps) || in_memtables
    }

    /// Reads a memtable: the table of the tree, and the versions that the transaction deleted.
    pub(crate) fn with_memtable<T>(
        &self,
        slot: MemtableSlot,
        read: impl FnOnce(&RowTable, Option<&RoaringBitmap>) -> T,
    ) -> Option<T> {
        let write_set = lock_write_set(&self.write_set);
        let tables = self.snapshot.memtables.get(slot)?.tables();
        let table = tables.get(&self.id())?;
        Some(read(table, write_set.dead_versions(slot, self.id())))
    }

    /// Reads the transaction's own buffer.
    pub(crate) fn with_own_rows<T>(&self, read: impl FnOnce(&RowTable) -> T) -> Option<T> {
        let write_set = lock_write_set(&self.write_set);
        Some(read(&write_set.tree(self.id())?.buffer))
    }
}

impl RunView {
    /// Which of the rows `start..end` are dead, by ordinal.
    pub(crate) fn dead(&self, start: u32, end: u32, seq: CommitSeq) -> RoaringBitmap {
        let mut dead = RoaringBitmap::new();
        self.run.deletion_vector.collect(start, end, seq, &mut dead);
        if let Some(own_dead) = &self.own_dead {
            dead |= within(own_dead, start, end);
        }
        dead
    }

    pub(crate) fn is_dead(&self, ordinal: u32, seq: CommitSeq) -> bool {
        self.run.deletion_vector.is_dead(ordinal, seq)
            || self
                .own_dead
                .as_ref()
                .is_some_and(|written| written.contains(ordinal))
    }

    /// How many rows the transaction does not see.
    pub(crate) fn dead_count(&self, seq: CommitSeq) -> u64 {
        // The transaction never deletes a row that its snapshot does not see.
        self.run.deletion_vector.count(seq)
            + self.own_dead.as_ref().map_or(0, |own_dead| own_dead.len())
    }
}
