//! One tree as one transaction sees it.

use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roaring::RoaringBitmap;
use varve_types::{CommitSeq, TreeId};

use crate::memtable::{MemtableSlot, RowTable};
use crate::recent_marks::within;
use crate::run::Run;
use crate::snapshot::Snapshot;
use crate::transaction::Own;
use crate::tree::Tree;

/// Own rows are read as of this sequence: all that are alive, whatever savepoint they came after.
pub(crate) const OWN_SEQ: CommitSeq = CommitSeq(u64::MAX - 1);

/// The runs, the memtables and the own writes of one tree. The transaction must not write while a
/// view is in use.
pub(crate) struct View {
    pub(crate) tree: Arc<Tree>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) own: Arc<Mutex<Own>>,
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
    pub(crate) fn new(tree: Arc<Tree>, snapshot: Arc<Snapshot>, own: Arc<Mutex<Own>>) -> View {
        let id = tree.schema().tree;
        let runs = {
            let own = lock_own(&own);
            let spilled = own.tree(id).map_or(&[][..], |own| own.runs.as_slice());
            let runs = snapshot.version.runs(id).iter().chain(spilled);
            let view = |run: &Arc<Run>| RunView {
                run: Arc::clone(run),
                own_dead: own.dead_rows(run.id),
            };
            runs.map(view).collect()
        };
        View {
            tree,
            snapshot,
            own,
            runs,
        }
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
        let own = lock_own(&self.own);
        let tables = self.snapshot.memtables.get(slot)?.tables();
        let table = tables.get(&self.id())?;
        Some(read(table, own.dead_versions(slot, self.id())))
    }

    /// Reads the transaction's own buffer.
    pub(crate) fn with_own<T>(&self, read: impl FnOnce(&RowTable) -> T) -> Option<T> {
        let own = lock_own(&self.own);
        Some(read(&own.tree(self.id())?.buffer))
    }
}

impl RunView {
    /// Which of the rows `start..end` are dead, by ordinal.
    pub(crate) fn dead(&self, start: u32, end: u32, seq: CommitSeq) -> RoaringBitmap {
        let mut dead = RoaringBitmap::new();
        self.run.marks.collect(start, end, seq, &mut dead);
        if let Some(own) = &self.own_dead {
            dead |= within(own, start, end);
        }
        dead
    }

    pub(crate) fn is_dead(&self, ordinal: u32, seq: CommitSeq) -> bool {
        self.run.marks.is_dead(ordinal, seq)
            || self
                .own_dead
                .as_ref()
                .is_some_and(|own| own.contains(ordinal))
    }

    /// How many rows the transaction does not see.
    pub(crate) fn dead_count(&self, seq: CommitSeq) -> u64 {
        // The transaction never deletes a row that its snapshot does not see.
        self.run.marks.count(seq) + self.own_dead.as_ref().map_or(0, |own| own.len())
    }
}

/// No step under the lock of own writes can panic half-way.
pub(crate) fn lock_own(own: &Mutex<Own>) -> MutexGuard<'_, Own> {
    own.lock().unwrap_or_else(PoisonError::into_inner)
}
