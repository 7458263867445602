//! Constraints whose checks a transaction puts off.

use std::collections::BTreeMap;

use varve_sql::{Deferral, IndexDef, TableDef};
use varve_store::Transaction;
use varve_types::{Batch, Result, TreeId};

use crate::write::name_constraint;

/// Entries that are kept to be looked up one by one; of more the whole index is read.
const ENTRIES_MAX: usize = 1 << 16;

/// What one transaction defers, and what is to be checked at its end.
#[derive(Clone, Default)]
pub(crate) struct Deferred {
    /// What `SET CONSTRAINTS ALL` said last.
    all: Option<bool>,
    /// What was said since of the constraint of an index.
    named: BTreeMap<TreeId, bool>,
    /// By index what was added to it unchecked.
    waiting: BTreeMap<TreeId, Waiting>,
}

#[derive(Clone)]
struct Waiting {
    /// To name the constraint.
    table: TableDef,
    /// The entries; none where there are too many.
    entries: Option<Vec<Batch>>,
    rows: usize,
}

impl Deferred {
    /// Adds the entries of a statement, which is checked now or later.
    pub(crate) async fn check_added(
        &mut self,
        transaction: &Transaction,
        table: &TableDef,
        index: &IndexDef,
        added: &[Batch],
    ) -> Result<()> {
        if self.defers(index) {
            let waiting = self.waiting.entry(index.tree).or_insert_with(|| Waiting {
                table: table.clone(),
                entries: Some(Vec::new()),
                rows: 0,
            });
            waiting.rows += added.iter().map(Batch::rows).sum::<usize>();
            if waiting.rows > ENTRIES_MAX {
                waiting.entries = None;
            }
            if let Some(entries) = &mut waiting.entries {
                entries.extend_from_slice(added);
            }
            return Ok(());
        }
        for entries in added {
            let checked = transaction.index_check_unique(index.tree, entries).await;
            checked.map_err(|error| name_constraint(table, error))?;
        }
        Ok(())
    }

    fn defers(&self, index: &IndexDef) -> bool {
        let set = self.named.get(&index.tree).copied().or(self.all);
        match index.deferral {
            Deferral::Never => false,
            Deferral::Deferrable => set.unwrap_or(false),
            Deferral::Deferred => set.unwrap_or(true),
        }
    }

    /// Defers the constraints of some indexes, or of all, or checks them now and from now on.
    pub(crate) async fn set(
        &mut self,
        transaction: &Transaction,
        indexes: Option<&[TreeId]>,
        deferred: bool,
    ) -> Result<()> {
        if !deferred {
            self.check(transaction, indexes).await?;
        }
        match indexes {
            None => {
                self.all = Some(deferred);
                self.named.clear();
            }
            Some(indexes) => self
                .named
                .extend(indexes.iter().map(|index| (*index, deferred))),
        }
        Ok(())
    }

    /// Checks what was put off of some indexes, or of all.
    pub(crate) async fn check(
        &mut self,
        transaction: &Transaction,
        indexes: Option<&[TreeId]>,
    ) -> Result<()> {
        let is_meant = |index: &TreeId| indexes.is_none_or(|indexes| indexes.contains(index));
        let meant = self.waiting.keys().copied().filter(is_meant);
        for index in meant.collect::<Vec<TreeId>>() {
            // A table that was dropped since promises nothing.
            if let Some(waiting) = self.waiting.get(&index)
                && transaction.tree_schema(index).is_some()
            {
                waiting.check(transaction, index).await?;
            }
            self.waiting.remove(&index);
        }
        Ok(())
    }
}

impl Waiting {
    async fn check(&self, transaction: &Transaction, index: TreeId) -> Result<()> {
        let named = |error| name_constraint(&self.table, error);
        let Some(entries) = &self.entries else {
            let checked = transaction.index_check_all_unique(index).await;
            return checked.map_err(named);
        };
        for entries in entries {
            let checked = transaction.index_check_unique(index, entries).await;
            checked.map_err(named)?;
        }
        Ok(())
    }
}
