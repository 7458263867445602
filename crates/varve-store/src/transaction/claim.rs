//! Claiming rows.

use std::sync::Arc;

use varve_types::{RowPosition, TreeId, Value};

use crate::claims::{ClaimKind, Claims, Holder, RowSet};
use crate::error::Result;
use crate::read::{RowRef, View, lock_own};
use crate::snapshot::Snapshot;
use crate::transaction::Transaction;
use crate::transaction::interface::{encode_key, unpack};
use crate::transaction::own::Own;

impl Transaction {
    /// Claims the rows with these keys (values in the order of the sort key); answers for each key
    /// whether there is a row. Only for trees sorted by columns.
    ///
    /// The commit fails with `40001` if another one since the snapshot has changed a claimed row or
    /// claimed it in a way that excludes this; and what commits later than this one, yet began
    /// before, fails if it does so. A rollback to a savepoint keeps claims, and claims alone,
    /// without a write, need no commit.
    pub async fn claim(
        &mut self,
        tree: TreeId,
        keys: &[Vec<Value>],
        kind: ClaimKind,
    ) -> Result<Vec<bool>> {
        let view = self.view(tree).await?;
        let keys: Result<Vec<Vec<u8>>> =
            keys.iter().map(|key| encode_key(&view.tree, key)).collect();
        let found = view.locate(&keys?).await?;
        self.claim_places(&view, found.iter().flatten(), kind);
        Ok(found.iter().map(Option::is_some).collect())
    }

    /// Claims the rows at these positions; see [`Transaction::claim`].
    pub async fn claim_rows(
        &self,
        tree: TreeId,
        positions: &[RowPosition],
        kind: ClaimKind,
    ) -> Result<()> {
        let view = self.view(tree).await?;
        let rows = unpack(&view, positions)?;
        self.claim_places(&view, &rows, kind);
        Ok(())
    }

    /// Claims the first `most` of these rows that are free: no other open transaction and no commit
    /// since the snapshot has changed them, or claimed them in a way that excludes this. Answers
    /// for each row whether it is claimed now.
    pub async fn claim_free_rows(
        &self,
        tree: TreeId,
        positions: &[RowPosition],
        kind: ClaimKind,
        most: usize,
    ) -> Result<Vec<bool>> {
        let view = self.view(tree).await?;
        let rows = unpack(&view, positions)?;
        let store = &self.snapshot.store;
        let _claiming = store.claiming();
        let taken = self.taken();
        let mut claimed = Vec::with_capacity(rows.len());
        let mut left = most;
        {
            let state = store.state();
            for row in &rows {
                let is_free = left > 0
                    && self.place_of(&view, row).is_none_or(|(holder, row)| {
                        holder.row_now(row).is_some_and(|(holder, row)| {
                            holder.is_alive(row, &state) && !taken.exclude(kind, &holder, row)
                        })
                    });
                left -= usize::from(is_free);
                claimed.push(is_free);
            }
        }
        let free = rows.iter().zip(&claimed).filter(|(_, free)| **free);
        self.claim_places(&view, free.map(|(row, _)| row), kind);
        Ok(claimed)
    }

    /// What others have claimed, or deleted and not committed yet, where it is now.
    fn taken(&self) -> Claims {
        let mut taken = Claims::default();
        let open = {
            let state = self.snapshot.store.state();
            for claims in state.claims.unseen(self.snapshot.seq) {
                taken.add_all(&claims.still());
            }
            state.open()
        };
        for (snapshot, own) in &open {
            if !Arc::ptr_eq(own, &self.own) {
                let own = lock_own(own);
                taken.add_all(&own.claims.still());
                taken.update.add_all(&deleted_rows(snapshot, &own));
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
                Some((Holder::Run(Arc::clone(&run.run.pin.trace)), ordinal))
            }
            RowRef::Own(_) => None,
        }
    }

    fn claim_places<'a>(
        &self,
        view: &View,
        rows: impl IntoIterator<Item = &'a RowRef>,
        kind: ClaimKind,
    ) {
        let places: Vec<(Holder, u32)> = rows
            .into_iter()
            .filter_map(|row| self.place_of(view, row))
            .collect();
        let mut own = self.own();
        for (holder, row) in places {
            own.claims.add(kind, &holder, row);
        }
    }
}

/// What a transaction deleted of what its snapshot saw, where that is now.
pub(super) fn deleted_rows(snapshot: &Snapshot, own: &Own) -> RowSet {
    let mut deleted = RowSet::default();
    for ((slot, tree), versions) in &own.dead_versions {
        if let Some(memtable) = snapshot.memtables.get(*slot) {
            let holder = Holder::Memtable(Arc::clone(memtable), *tree);
            deleted.add_rows(&holder, versions);
        }
    }
    for (run, dead) in &own.dead_rows {
        if let Some(run) = snapshot.version.run(dead.tree, *run) {
            deleted.add_rows(&Holder::Run(Arc::clone(&run.pin.trace)), &dead.ordinals);
        }
    }
    deleted.now().0
}

/// What the transactions of one group claim and delete, where any of them claims something.
#[derive(Default)]
pub(super) struct GroupClaims {
    claims: Claims,
    deleted: RowSet,
}

impl GroupClaims {
    /// Adds a transaction to the group, unless it does not go with what is in it.
    pub(super) fn admit(&mut self, deleted: &RowSet, claims: &Claims) -> bool {
        let meets = self.claims.meet(deleted, claims) || claims.meet(&self.deleted, &self.claims);
        if !meets {
            self.claims.add_all(claims);
            self.deleted.add_all(deleted);
        }
        !meets
    }
}
