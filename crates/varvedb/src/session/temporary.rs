//! Temporary relations: those of a session go when it ends, some with each transaction.
//!
//! They are kept as all others are, in a schema of the session's own. Nothing can be dropped while
//! a session is dropped, so what it leaves behind is dropped by the next session that makes
//! temporary relations, or when the database is opened again.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use varve_catalog::{TableDef, decode_object, is_temporary, temporary_schema};
use varve_ddl::{drop_relations, drop_sequence, drop_table, emptied};
use varve_plan::{NewTable, OnCommit, Statement, Utility};
use varve_store::{Store, Transaction};
use varve_types::{ObjectId, Result, ScanSpec};

use super::Session;
use crate::shared::Shared;
use varve_settings::Durability;

/// What a session knows of its temporary relations.
pub(crate) struct Temporary {
    shared: Arc<Shared>,
    pub schema: ObjectId,
    /// Whether it has made any.
    is_used: bool,
    /// Tables that something becomes of when a transaction ends.
    on_commit: Vec<(String, OnCommit)>,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.is_used {
            let left = &self.shared.temporary.left;
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            left.push(self.schema);
        }
    }
}

impl Temporary {
    pub fn new(shared: &Arc<Shared>) -> Temporary {
        let number = shared.temporary.next.fetch_add(1, Ordering::Relaxed);
        Temporary {
            shared: Arc::clone(shared),
            schema: temporary_schema(number),
            is_used: false,
            on_commit: Vec::new(),
        }
    }

    /// Before a statement makes something: drops what sessions that have ended left behind.
    pub fn prepare(&mut self, transaction: &mut Transaction, statement: &Statement) -> Result<()> {
        let Some(schema) = made_in(statement).filter(|schema| is_temporary(*schema)) else {
            return Ok(());
        };
        self.is_used |= schema == self.schema;
        if let Some(table) = new_table(statement)
            && table.on_commit != OnCommit::Preserve
        {
            self.on_commit
                .push((table.table.name.clone(), table.on_commit));
        }
        let left = &self.shared.temporary.left;
        let left = core::mem::take(&mut *left.lock().unwrap_or_else(PoisonError::into_inner));
        match left.as_slice() {
            [] => Ok(()),
            left => drop_relations(transaction, &|schema| left.contains(&schema)),
        }
    }
}

fn new_table(statement: &Statement) -> Option<&NewTable> {
    match statement {
        Statement::CreateTable { definition, .. } => Some(definition),
        Statement::Utility(utility) => match &**utility {
            Utility::CreateTableAs { table, .. } => Some(table),
            _ => None,
        },
        _ => None,
    }
}

/// The schema in which a statement makes something.
fn made_in(statement: &Statement) -> Option<ObjectId> {
    match statement {
        Statement::CreateSequence { definition, .. } => Some(definition.schema),
        Statement::Utility(utility) => match &**utility {
            Utility::CreateView(view) => Some(view.schema),
            _ => new_table(statement).map(|new| new.table.schema),
        },
        _ => new_table(statement).map(|new| new.table.schema),
    }
}

impl Session {
    /// What ON COMMIT of temporary tables wants before a transaction is committed.
    pub(super) async fn end_temporary(&mut self, transaction: &mut Transaction) -> Result<()> {
        if self.temporary.get_mut().on_commit.is_empty() {
            return Ok(());
        }
        let catalog = self
            .catalog
            .borrow_mut()
            .get(transaction, &self.settings.search_path)?;
        let schema = self.temporary.get_mut().schema;
        let mut kept = Vec::new();
        for (name, on_commit) in core::mem::take(&mut self.temporary.get_mut().on_commit) {
            let found = catalog.tables.values();
            let mut found = found.filter(|table| table.schema == schema && table.name == name);
            let Some(table) = found.next() else {
                continue;
            };
            if on_commit == OnCommit::Drop {
                let sequences = catalog.sequences.values();
                let is_owned = |object| object == table.object;
                for sequence in sequences {
                    if sequence.owner.is_some_and(|(object, _)| is_owned(object)) {
                        drop_sequence(transaction, sequence)?;
                    }
                }
                drop_table(transaction, table)?;
                continue;
            }
            if has_rows(transaction, table).await? {
                emptied(transaction, table)?;
            }
            kept.push((name, on_commit));
        }
        self.temporary.get_mut().on_commit = kept;
        Ok(())
    }

    /// Drops all temporary relations of the session.
    pub(super) async fn discard_temporary(&mut self) -> Result<()> {
        let own = self.temporary.get_mut().schema;
        let mut transaction = self.shared.store.begin();
        drop_relations(&mut transaction, &|schema| schema == own)?;
        transaction
            .commit(self.settings.durability.of_commit())
            .await?;
        Ok(())
    }
}

async fn has_rows(transaction: &Transaction, table: &TableDef) -> Result<bool> {
    let mut rows = transaction
        .scan(ScanSpec {
            limit_rows: Some(1),
            ..ScanSpec::of(table.tree, Vec::new())
        })
        .await?;
    while let Some(batch) = rows.next_batch().await? {
        if batch.rows() > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Drops what sessions have left behind when the database was closed.
pub(crate) async fn drop_left(store: &Arc<Store>) -> Result<()> {
    let mut transaction = store.begin();
    let mut objects = transaction.objects().into_iter();
    let is_left = |definition: &[u8]| {
        let decoded = decode_object(definition).ok();
        let schema = decoded.and_then(|object| object.schema());
        schema.is_some_and(is_temporary)
    };
    if !objects.any(|(_, _, definition)| is_left(&definition)) {
        return Ok(());
    }
    drop_relations(&mut transaction, &is_temporary)?;
    transaction.commit(Durability::Relaxed.of_commit()).await?;
    Ok(())
}
