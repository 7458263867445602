//! One statement that defines something, with what it needs of the session around it.

use std::sync::Arc;

use varve_bind::{Followed, followed};
use varve_catalog::{Catalog, encode_function, encode_trigger};
use varve_dml::{StatementRunner, StatementTxn};
use varve_expr::EvalContext;
use varve_plan::Statement;
use varve_store::Transaction;
use varve_types::meter::Cancel;
use varve_types::{LocalFuture, Notice, ObjectId, Result, TreeId};

use crate::catalog_cache::catalog_now;
use crate::drop::drop_comments;
use crate::utility::put_view;

/// The session around a statement that defines something.
pub trait DdlSession: StatementRunner {
    /// Says what functions see from here on, so that a new sequence gives values.
    fn enter<'a>(
        &'a self,
        transaction: &'a Transaction,
        catalog: &'a Arc<Catalog>,
    ) -> LocalFuture<'a, Result<()>>;
}

/// What a statement runs with that defines something.
pub struct Definer<'a> {
    /// What reads rows, and fires triggers where they are written.
    pub session: &'a dyn DdlSession,
    /// The catalog that the statement sees.
    pub catalog: &'a Arc<Catalog>,
    /// What expressions over rows are evaluated with.
    pub context: EvalContext<'a>,
    /// Stops it.
    pub cancel: &'a dyn Cancel,
    /// Whether it is a transaction of its own: only then an index can be built after its commit.
    pub is_alone: bool,
}

/// What a statement answers that defines something.
#[derive(Debug, Default)]
pub struct Defined {
    /// The first word of PostgreSQL's command tag.
    pub command: &'static str,
    /// Rows of a query of which a table was made.
    pub rows: Option<u64>,
    /// What the user should know, in order.
    pub notices: Vec<Notice>,
    /// Table and tree of an index that is to be built once the transaction is committed.
    pub building: Option<(ObjectId, TreeId)>,
}

impl Defined {
    pub(crate) fn command(command: &'static str) -> Defined {
        Defined {
            command,
            ..Defined::default()
        }
    }
}

impl Definer<'_> {
    /// Carries out a statement. Comments on what has gone go with it, and texts follow what they
    /// name to its new name.
    pub async fn run(&self, txn: &mut StatementTxn, statement: &Statement) -> Result<Defined> {
        let before = txn.store.catalog_state();
        let defined = match statement {
            Statement::Utility(utility) => self.utility(txn, utility).await,
            Statement::AlterTable(alter) => self.alter_table(txn, alter).await,
            _ => self.define(&mut txn.store, statement).await,
        }?;
        if !before.is_same(&txn.store.catalog_state()) {
            drop_comments(&mut txn.store, self.catalog)?;
            if defined.command == "ALTER" {
                follow(&mut txn.store, self.catalog)?;
            }
        }
        Ok(defined)
    }
}

/// Lets the texts of definitions follow what they name to the names that an ALTER gave it.
fn follow(transaction: &mut Transaction, before: &Catalog) -> Result<()> {
    let after = catalog_now(transaction, before)?;
    for changed in followed(before, &after)? {
        match changed {
            Followed::View(view) => put_view(transaction, &view)?,
            Followed::Function(def) => {
                transaction.put_object(def.object, 1, encode_function(&def)?);
            }
            Followed::Trigger(def) => transaction.put_object(def.object, 1, encode_trigger(&def)?),
        }
    }
    Ok(())
}
