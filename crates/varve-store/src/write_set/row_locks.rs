//! Row locks: rows that a transaction neither changes nor lets others change, for foreign keys and
//! FOR UPDATE. Of two that cannot both be right, the one that commits second fails.

use std::collections::VecDeque;
use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_types::{CommitSeq, TreeId};

use crate::memtable::Memtable;
use crate::run::{RunTrace, Version};

/// Row locks of more commits than this are put together, as if made by the newest of them.
const COMMITS_MAX: usize = 1024;

/// What a row lock excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowLockKind {
    /// Changes of the row, and locks for update.
    Share,
    /// Changes of the row, and every other lock.
    Update,
}

/// What holds rows under numbers of its own.
#[derive(Clone)]
pub(crate) enum Holder {
    Memtable(Arc<Memtable>, TreeId),
    Run(Arc<RunTrace>),
}

impl Holder {
    fn is(&self, other: &Holder) -> bool {
        match (self, other) {
            (Holder::Memtable(a, of), Holder::Memtable(b, other)) => {
                of == other && Arc::ptr_eq(a, b)
            }
            (Holder::Run(a), Holder::Run(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Whether its rows are elsewhere by now.
    fn has_moved(&self) -> bool {
        match self {
            Holder::Memtable(memtable, _) => memtable.is_flushed(),
            Holder::Run(run) => run.forward.get().is_some(),
        }
    }

    /// Whether a row that is here now is alive.
    pub(crate) fn is_alive(&self, row: u32, version: &Version) -> bool {
        self.all_alive(&RoaringBitmap::from_iter([row]), version)
    }

    /// Where a row is now; `None` if it was dead when it should have been moved.
    pub(crate) fn row_now(&self, row: u32) -> Option<(Holder, u32)> {
        let (run, row) = match self {
            Holder::Memtable(memtable, tree) if memtable.is_flushed() => {
                memtable.flushed_to(*tree, row)?
            }
            Holder::Memtable(..) => return Some((self.clone(), row)),
            Holder::Run(run) => (run, row),
        };
        let (run, row) = run.row_now(row)?;
        Some((Holder::Run(Arc::clone(run)), row))
    }

    /// Whether nobody has deleted any of these rows; they have not moved.
    fn all_alive(&self, rows: &RoaringBitmap, version: &Version) -> bool {
        match self {
            Holder::Memtable(memtable, tree) => {
                let tables = memtable.tables();
                let is_alive = |table: &crate::memtable::RowTable, row| {
                    table.version(row).is_some_and(|version| version.is_alive())
                };
                let table = tables.get(tree);
                table.is_some_and(|table| rows.iter().all(|row| is_alive(table, row)))
            }
            Holder::Run(run) => {
                let run = version.run(run.tree, run.id);
                run.is_some_and(|run| run.deletion_vector.all_alive_now(rows))
            }
        }
    }
}

/// Rows by what holds them.
#[derive(Clone, Default)]
pub(crate) struct RowSet(Vec<(Holder, RoaringBitmap)>);

impl RowSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn change(&mut self, holder: &Holder, change: impl FnOnce(&mut RoaringBitmap)) {
        match self.0.iter_mut().find(|(found, _)| found.is(holder)) {
            Some((_, rows)) => change(rows),
            None => {
                let mut rows = RoaringBitmap::new();
                change(&mut rows);
                self.0.push((holder.clone(), rows));
            }
        }
    }

    pub(crate) fn add(&mut self, holder: &Holder, row: u32) {
        self.change(holder, |rows| {
            rows.insert(row);
        });
    }

    pub(crate) fn add_rows(&mut self, holder: &Holder, more: &RoaringBitmap) {
        self.change(holder, |rows| *rows |= more);
    }

    pub(crate) fn add_all(&mut self, other: &RowSet) {
        for (holder, more) in &other.0 {
            self.add_rows(holder, more);
        }
    }

    fn contains(&self, holder: &Holder, row: u32) -> bool {
        let mut holders = self.0.iter();
        holders.any(|(found, rows)| found.is(holder) && rows.contains(row))
    }

    fn intersects(&self, other: &RowSet) -> bool {
        self.0.iter().any(|(holder, rows)| {
            let mut others = other.0.iter().filter(|(found, _)| found.is(holder));
            others.any(|(_, others)| !others.is_disjoint(rows))
        })
    }

    /// The rows where they are now, and whether none of them is known to be dead.
    pub(crate) fn now(&self) -> (RowSet, bool) {
        let mut now = RowSet::default();
        let mut all_there = true;
        for (holder, rows) in &self.0 {
            if !holder.has_moved() {
                now.add_rows(holder, rows);
                continue;
            }
            for row in rows {
                match holder.row_now(row) {
                    Some((holder, row)) => now.add(&holder, row),
                    None => all_there = false,
                }
            }
        }
        (now, all_there)
    }

    fn all_alive(&self, version: &Version) -> bool {
        let mut holders = self.0.iter();
        holders.all(|(holder, rows)| holder.all_alive(rows, version))
    }
}

/// What one transaction locks.
#[derive(Clone, Default)]
pub(crate) struct RowLocks {
    pub(crate) share: RowSet,
    pub(crate) update: RowSet,
}

impl RowLocks {
    pub(crate) fn is_empty(&self) -> bool {
        self.share.is_empty() && self.update.is_empty()
    }

    pub(crate) fn add(&mut self, kind: RowLockKind, holder: &Holder, row: u32) {
        match kind {
            RowLockKind::Share => self.share.add(holder, row),
            RowLockKind::Update => self.update.add(holder, row),
        }
    }

    /// The locks where the rows are now; `None` if somebody has deleted one of them.
    pub(crate) fn now(&self, version: &Version) -> Option<RowLocks> {
        let ((share, all_share), (update, all_update)) = (self.share.now(), self.update.now());
        let alive =
            all_share && all_update && share.all_alive(version) && update.all_alive(version);
        alive.then_some(RowLocks { share, update })
    }

    /// Whether these cannot stand beside those of another transaction, which has deleted `deleted`
    /// or locks `other`.
    pub(crate) fn meet(&self, deleted: &RowSet, other: &RowLocks) -> bool {
        let excluded = [&other.update, deleted];
        excluded
            .into_iter()
            .any(|rows| self.share.intersects(rows) || self.update.intersects(rows))
            || self.update.intersects(&other.share)
    }

    /// The rows that are still there, where they are now.
    pub(crate) fn still(&self) -> RowLocks {
        RowLocks {
            share: self.share.now().0,
            update: self.update.now().0,
        }
    }

    /// Whether these forbid a lock of a row that is where it is now.
    pub(crate) fn exclude(&self, kind: RowLockKind, holder: &Holder, row: u32) -> bool {
        self.update.contains(holder, row)
            || kind == RowLockKind::Update && self.share.contains(holder, row)
    }

    pub(crate) fn add_all(&mut self, other: &RowLocks) {
        self.share.add_all(&other.share);
        self.update.add_all(&other.update);
    }
}

/// The row locks of commits that some snapshot does not see.
#[derive(Default)]
pub(crate) struct RecentRowLocks(VecDeque<(CommitSeq, RowLocks)>);

impl RecentRowLocks {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, seq: CommitSeq, row_locks: RowLocks) {
        self.0.push_back((seq, row_locks));
        if self.0.len() > COMMITS_MAX {
            let mut all = RowLocks::default();
            let half = self.0.len() / 2;
            let mut newest = seq;
            for (seq, row_locks) in self.0.drain(..half) {
                all.add_all(&row_locks);
                newest = seq;
            }
            self.0.push_front((newest, all));
        }
    }

    /// Whether row locks that a snapshot does not see forbid what a transaction deletes and locks.
    pub(crate) fn forbid(
        &self,
        snapshot: CommitSeq,
        deleted: &RowSet,
        row_locks: &RowLocks,
    ) -> bool {
        self.unseen(snapshot)
            .any(|theirs| theirs.still().meet(deleted, row_locks))
    }

    /// The row locks that a snapshot does not see.
    pub(crate) fn unseen(&self, snapshot: CommitSeq) -> impl Iterator<Item = &RowLocks> {
        let newest = self.0.iter().rev();
        let unseen = newest.take_while(move |(seq, _)| *seq > snapshot);
        unseen.map(|(_, row_locks)| row_locks)
    }

    pub(crate) fn forget_through(&mut self, oldest: CommitSeq) {
        while self.0.pop_front_if(|(seq, _)| *seq <= oldest).is_some() {}
    }

    pub(crate) fn forget_all(&mut self) {
        self.0.clear();
    }
}
