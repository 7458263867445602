//! Locking rows.

use std::sync::Arc;

use varve_types::{RowPosition, TreeId, Value};

use crate::error::Result;
use crate::read::View;
use crate::store::Snapshot;
use crate::transaction::Transaction;
use crate::transaction::interface::{encode_key, unpack};
use crate::write_set::{Holder, RowLockKind, RowLocks, RowRef, RowSet, WriteSet, lock_write_set};

impl Transaction {
    /// Locks the rows with these keys (values in the order of the sort key); answers for each key
    /// whether there is a row. Only for trees sorted by columns.
    ///
    /// The commit fails with `40001` if another one since the snapshot has changed a locked row or
    /// locked it in a way that excludes this; and what commits later than this one, yet began
    /// before, fails if it does so. A rollback to a savepoint keeps row locks, and row locks alone,
    /// without a write, need no commit.
    pub async fn lock_keys(
        &mut self,
        tree: TreeId,
        keys: &[Vec<Value>],
        kind: RowLockKind,
    ) -> Result<Vec<bool>> {
        let view = self.view(tree).await?;
        let keys: Result<Vec<Vec<u8>>> =
            keys.iter().map(|key| encode_key(&view.tree, key)).collect();
        let found = view.locate(&keys?).await?;
        self.lock_places(&view, found.iter().flatten(), kind);
        Ok(found.iter().map(Option::is_some).collect())
    }

    /// Locks the rows at these positions; see [`Transaction::lock_keys`].
    pub async fn lock_rows(
        &self,
        tree: TreeId,
        positions: &[RowPosition],
        kind: RowLockKind,
    ) -> Result<()> {
        let view = self.view(tree).await?;
        let rows = unpack(&view, positions)?;
        self.lock_places(&view, &rows, kind);
        Ok(())
    }

    /// Locks the first `most` of these rows that are free: no other open transaction and no commit
    /// since the snapshot has changed them, or locked them in a way that excludes this. Answers
    /// for each row whether it is locked now.
    pub async fn lock_free_rows(
        &self,
        tree: TreeId,
        positions: &[RowPosition],
        kind: RowLockKind,
        most: usize,
    ) -> Result<Vec<bool>> {
        let view = self.view(tree).await?;
        let rows = unpack(&view, positions)?;
        let store = &self.snapshot.store;
        let _row_locking = store.row_locking();
        let taken = self.taken();
        let mut locked = Vec::with_capacity(rows.len());
        let mut left = most;
        {
            let state = store.state();
            for row in &rows {
                let is_free = left > 0
                    && self.place_of(&view, row).is_none_or(|(holder, row)| {
                        holder.row_now(row).is_some_and(|(holder, row)| {
                            holder.is_alive(row, &state.version)
                                && !taken.exclude(kind, &holder, row)
                        })
                    });
                left -= usize::from(is_free);
                locked.push(is_free);
            }
        }
        let free = rows.iter().zip(&locked).filter(|(_, free)| **free);
        self.lock_places(&view, free.map(|(row, _)| row), kind);
        Ok(locked)
    }

    /// What others have locked, or deleted and not committed yet, where it is now.
    fn taken(&self) -> RowLocks {
        let mut taken = RowLocks::default();
        let open = {
            let state = self.snapshot.store.state();
            for row_locks in state.row_locks.unseen(self.snapshot.seq) {
                taken.add_all(&row_locks.still());
            }
            state.open()
        };
        for (snapshot, write_set) in &open {
            if !Arc::ptr_eq(write_set, &self.write_set) {
                let write_set = lock_write_set(write_set);
                taken.add_all(&write_set.row_locks.still());
                taken.update.add_all(&deleted_rows(snapshot, &write_set));
            }
        }
        taken
    }

    /// What holds a row; `None` for an own one, which nobody else sees before the commit.
    fn place_of(&self, view: &View, row: &RowRef) -> Option<(Holder, u32)> {
        match *row {
            RowRef::Memtable { slot, version } => {
                let memtable = self.snapshot.memtables.get(slot)?;
                Some((Holder::Memtable(Arc::clone(memtable), view.id()), version))
            }
            RowRef::Run { slot, ordinal } => {
                let published = self.snapshot.version.runs(view.id()).len();
                let mut runs = view.runs.iter().take(published);
                let run = runs.nth(slot as usize)?;
                Some((Holder::Run(Arc::clone(&run.run.trace)), ordinal))
            }
            RowRef::WriteSet(_) => None,
        }
    }

    fn lock_places<'a>(
        &self,
        view: &View,
        rows: impl IntoIterator<Item = &'a RowRef>,
        kind: RowLockKind,
    ) {
        let places: Vec<(Holder, u32)> = rows
            .into_iter()
            .filter_map(|row| self.place_of(view, row))
            .collect();
        let mut write_set = self.write_set();
        for (holder, row) in places {
            write_set.row_locks.add(kind, &holder, row);
        }
    }
}

/// What a transaction deleted of what its snapshot saw, where that is now.
pub(super) fn deleted_rows(snapshot: &Snapshot, write_set: &WriteSet) -> RowSet {
    let mut deleted = RowSet::default();
    for ((slot, tree), versions) in &write_set.dead_versions {
        if let Some(memtable) = snapshot.memtables.get(*slot) {
            let holder = Holder::Memtable(Arc::clone(memtable), *tree);
            deleted.add_rows(&holder, versions);
        }
    }
    for (run, dead) in &write_set.dead_rows {
        if let Some(run) = snapshot.version.run(dead.tree, *run) {
            deleted.add_rows(&Holder::Run(Arc::clone(&run.trace)), &dead.ordinals);
        }
    }
    deleted.now().0
}

/// What the transactions of one group lock and delete, where any of them locks something.
#[derive(Default)]
pub(super) struct GroupRowLocks {
    row_locks: RowLocks,
    deleted: RowSet,
}

impl GroupRowLocks {
    /// Adds a transaction to the group, unless it does not go with what is in it.
    pub(super) fn admit(&mut self, deleted: &RowSet, row_locks: &RowLocks) -> bool {
        let meets = self.row_locks.meet(deleted, row_locks)
            || row_locks.meet(&self.deleted, &self.row_locks);
        if !meets {
            self.row_locks.add_all(row_locks);
            self.deleted.add_all(deleted);
        }
        !meets
    }
}
