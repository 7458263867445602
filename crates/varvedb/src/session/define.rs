//! Statements that define something, and the others around queries.

use std::sync::Arc;

use varve_catalog::{Catalog, FunctionDef};
use varve_ddl::{DdlSession, Definer};
use varve_dml::StatementTxn;
use varve_plan::{Statement, Utility};
use varve_routine::Routine;
use varve_store::Transaction;
use varve_types::{LocalFuture, Result};

use super::block::no_block_error;
use super::run::Run;
use crate::shared::result_set::ResultSet;

impl Run<'_> {
    pub(super) async fn define(
        &self,
        txn: &mut StatementTxn,
        statement: &Statement,
    ) -> Result<ResultSet> {
        if let Statement::Utility(utility) = statement {
            match &**utility {
                Utility::Do(def) => return self.run_block(txn, def).await,
                Utility::LockTable if self.scope.is_alone => {
                    return Err(no_block_error("LOCK TABLE"));
                }
                Utility::LockTable => return Ok(ResultSet::command("LOCK")),
                Utility::Analyze => return Ok(ResultSet::command("ANALYZE")),
                Utility::Nothing => return Ok(ResultSet::command("")),
                _ => {}
            }
        }
        let defined = self.definer().run(txn, statement).await?;
        if defined.building.is_some() {
            self.building.set(defined.building);
        }
        Ok(ResultSet {
            command: defined.command,
            affected_rows: defined.rows,
            notices: defined.notices,
            ..ResultSet::default()
        })
    }

    #[inline]
    fn definer(&self) -> Definer<'_> {
        Definer {
            session: self,
            catalog: self.catalog,
            context: self.eval(),
            cancel: self.cancel,
            is_alone: self.scope.is_alone,
        }
    }

    /// Runs the body of DO.
    async fn run_block(&self, txn: &mut StatementTxn, def: &FunctionDef) -> Result<ResultSet> {
        let mut routine = Routine::new(def.code()?);
        let caller = self.caller();
        let called = caller.result(txn, def, &mut routine, Vec::new());
        Box::pin(called).await?;
        Ok(ResultSet::command("DO"))
    }
}

impl DdlSession for Run<'_> {
    #[inline]
    fn enter<'a>(
        &'a self,
        transaction: &'a Transaction,
        catalog: &'a Arc<Catalog>,
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.host.enter(transaction, catalog))
    }
}
