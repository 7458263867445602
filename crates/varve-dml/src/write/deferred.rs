//! Constraints whose checks a transaction puts off.

use std::sync::Arc;

use varve_catalog::{Deferral, ForeignKeyDef, IndexDef, TableDef};
use varve_expr::Enums;
use varve_sort::VecMap;
use varve_store::Transaction;
use varve_types::{Batch, ObjectId, Result, TreeId};

use crate::write::waiting_keys::WaitingKeys;
use crate::write::writer::name_constraint;

/// Entries that are kept to be looked up one by one; of more the whole index is read.
const ENTRIES_MAX: usize = 1 << 16;

/// What one transaction defers, and what is to be checked at its end.
#[derive(Clone, Default)]
pub struct Deferred {
    /// What `SET CONSTRAINTS ALL` said last.
    all: Option<bool>,
    /// What was said since of single constraints.
    named: VecMap<Constraint, bool>,
    /// By index what was added to it unchecked.
    waiting: VecMap<TreeId, Waiting>,
    /// By foreign key what it has not looked for.
    keys: VecMap<(ObjectId, String), WaitingKeys>,
    /// The labels of enumerations, for what errors show.
    pub enums: Option<Arc<Enums>>,
}

/// A constraint that can be deferred.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constraint {
    /// That of an index.
    Index(TreeId),
    /// A foreign key of a table.
    Key(ObjectId, String),
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
    pub async fn check_added(
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
            checked.map_err(|error| name_constraint(table, self.enums.as_ref(), error))?;
        }
        Ok(())
    }

    fn defers(&self, index: &IndexDef) -> bool {
        self.is_deferred(index.deferral, &Constraint::Index(index.tree))
    }

    /// Whether a foreign key of a table waits for the end of the transaction.
    pub fn defers_key(&self, table: ObjectId, key: &ForeignKeyDef) -> bool {
        key.deferral != Deferral::Never
            && self.is_deferred(key.deferral, &Constraint::Key(table, key.name.clone()))
    }

    fn is_deferred(&self, deferral: Deferral, constraint: &Constraint) -> bool {
        let set = self.named.get(constraint).copied().or(self.all);
        match deferral {
            Deferral::Never => false,
            Deferral::Deferrable => set.unwrap_or(false),
            Deferral::Deferred => set.unwrap_or(true),
        }
    }

    /// Where a foreign key notes what waits.
    pub fn keys(&mut self, table: ObjectId, name: &str) -> &mut WaitingKeys {
        self.keys.entry((table, name.to_owned())).or_default()
    }

    /// Takes what waits of some foreign keys.
    pub fn take_keys(
        &mut self,
        constraints: Option<&[Constraint]>,
    ) -> Vec<((ObjectId, String), WaitingKeys)> {
        let is_meant = |key: &(ObjectId, String)| {
            let (table, name) = key;
            let constraint = Constraint::Key(*table, name.clone());
            constraints.is_none_or(|constraints| constraints.contains(&constraint))
        };
        let all = core::mem::take(&mut self.keys).into_iter();
        let (taken, left) = all.partition(|(key, _)| is_meant(key));
        self.keys = left;
        let taken: VecMap<_, _> = taken;
        taken.into_iter().collect()
    }

    /// Whether anything waits.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || !self.keys.is_empty()
    }

    /// Defers some constraints, or all, or no longer.
    pub fn set(&mut self, constraints: Option<&[Constraint]>, deferred: bool) {
        match constraints {
            None => {
                self.all = Some(deferred);
                self.named.clear();
            }
            Some(constraints) => {
                let set = constraints.iter().map(|one| (one.clone(), deferred));
                self.named.extend(set);
            }
        }
    }

    /// Checks what was put off of the constraints of some indexes, or of all.
    pub async fn check(
        &mut self,
        transaction: &Transaction,
        constraints: Option<&[Constraint]>,
    ) -> Result<()> {
        let is_meant = |index: &TreeId| {
            constraints.is_none_or(|meant| meant.contains(&Constraint::Index(*index)))
        };
        let meant = self.waiting.keys().copied().filter(is_meant);
        for index in meant.collect::<Vec<TreeId>>() {
            // A table that was dropped since promises nothing.
            if let Some(waiting) = self.waiting.get(&index)
                && transaction.tree_schema(index).is_some()
            {
                let enums = self.enums.as_ref();
                waiting.check(transaction, enums, index).await?;
            }
            self.waiting.remove(&index);
        }
        Ok(())
    }
}

impl Waiting {
    async fn check(
        &self,
        transaction: &Transaction,
        enums: Option<&Arc<Enums>>,
        index: TreeId,
    ) -> Result<()> {
        let named = |error| name_constraint(&self.table, enums, error);
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
