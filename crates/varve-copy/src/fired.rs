//! What COPY writes as INSERT does: rows with triggers, foreign keys or partitions.

use std::sync::Arc;

use varve_catalog::{Catalog, Event};
use varve_dml::{Left, StatementRunner, StatementTxn, Timing, Writer};
use varve_types::{Batch, Error, Result};

use crate::load::{CopyIn, CopyTarget, context_of};

impl CopyIn {
    pub(super) async fn begin(&mut self, target: &mut CopyTarget<'_>) -> Result<()> {
        match core::mem::replace(&mut self.has_begun, true) {
            true => Ok(()),
            false => self.fire(target, true).await,
        }
    }

    /// Fires the triggers of the statement.
    pub(super) async fn fire(&self, target: &mut CopyTarget<'_>, before: bool) -> Result<()> {
        if let CopyTarget::Transaction(txn, Some(run)) = target {
            let catalog = self.host.catalog();
            let timing = match before {
                true => Timing::BEFORE_STATEMENT,
                false => Timing::AFTER_STATEMENT,
            };
            let mut writer = self.writer(&catalog, (txn, Some(*run)), Left::default());
            let fired = writer.fire_statement(&self.plan.table, Event::Insert, timing, &[]);
            fired.await?;
        }
        Ok(())
    }

    /// Inserts rows as INSERT does, with the triggers of each.
    pub(super) async fn insert_fired(
        &mut self,
        target: &mut CopyTarget<'_>,
        rows: Batch,
    ) -> Result<usize> {
        let CopyTarget::Transaction(txn, run) = target else {
            return Err(Error::internal("rows with triggers are not loaded"));
        };
        let catalog = self.host.catalog();
        let left = core::mem::take(&mut self.left);
        let table = &self.plan.table;
        let mut writer = self.writer(&catalog, (txn, *run), left);
        let rows = writer.before_insert(table, vec![rows]).await?;
        let rows = writer.checked(table, &rows)?;
        writer.insert(table, &rows).await?;
        self.left = writer.take_left();
        Ok(rows.iter().map(Batch::rows).sum())
    }

    /// Looks for what rows that were inserted refer to, at the end also for what was left.
    pub(super) async fn refer(
        &mut self,
        target: &mut CopyTarget<'_>,
        rows: &Batch,
        at_end: bool,
    ) -> Result<()> {
        let table = &self.plan.table;
        let CopyTarget::Transaction(txn, run) = target else {
            return Ok(());
        };
        if table.foreign_keys.is_empty() && run.is_none() {
            return Ok(());
        }
        let catalog = self.host.catalog();
        let left = core::mem::take(&mut self.left);
        let mut writer = self.writer(&catalog, (txn, *run), left);
        match at_end {
            true => writer.settle().await?,
            false => writer.refers(table, core::slice::from_ref(rows)).await?,
        }
        self.left = writer.take_left();
        Ok(())
    }

    /// What writes rows that COPY does not put into a tree itself, or looks at others for them.
    fn writer<'a>(
        &'a self,
        catalog: &'a Arc<Catalog>,
        (txn, run): (&'a mut StatementTxn, Option<&'a dyn StatementRunner>),
        left: Left,
    ) -> Writer<'a> {
        let context = context_of(&*self.host, &self.locale);
        Writer::new(catalog, txn, context, &*self.cancel, run).with_left(left)
    }

    /// Hands rows of a partitioned table on to its partitions.
    pub(super) async fn route(&mut self, target: &mut CopyTarget<'_>, rows: &Batch) -> Result<()> {
        let CopyTarget::Transaction(txn, run) = target else {
            return Err(Error::internal("rows of partitions are not loaded"));
        };
        let catalog = self.host.catalog();
        let left = core::mem::take(&mut self.left);
        let mut writer = self.writer(&catalog, (txn, *run), left);
        let rows = core::slice::from_ref(rows);
        let (table, line) = (&self.plan.table, self.batch_line);
        let routed = writer.insert_routed(table, None, rows, false).await;
        routed.map_err(|error| {
            error.with_context(format!("COPY {}, the rows from line {line} on", table.name))
        })?;
        writer.settle().await
    }
}
