//! Carries out one bound statement in a transaction.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use varve_catalog::{Catalog, Event, TableDef, is_temporary};
use varve_ddl::CatalogCache;
use varve_dml::{
    Before, StatementRunner, StatementTxn, Timing, TransactionSource, Trigger, Writer,
};
use varve_exec::{ExecContext, NodeProfile, Profile, execute, execute_instrumented};
use varve_expr::{EvalContext, Expr, Locale, Parameters};
use varve_plan::{
    Change, Changes, ExplainOptions, NodeActual, Plan, Query, Statement, StatementActual, Utility,
    explain_query_plan, explain_with,
};
use varve_store::{StoreStats, Transaction};
use varve_types::meter::Cancel;
use varve_types::{
    Batch, Error, LocalFuture, LogicalType, MemoryAccount, Notice, ObjectId, Result, SqlState,
    TreeId, Value,
};

use super::Scope;
use super::explained;
use super::rows::outlet::Outlet;
use super::temporary::Temporary;
use crate::host::SessionHost;
use crate::session::rows::collected::{CollectedRows, RowsTo};
use crate::session::rows::direct::direct_rows;
use crate::shared::Shared;
use crate::shared::cancel::CancelFlag;
use crate::shared::phases::Laps;
use crate::shared::result_set::ResultSet;
use crate::shared::scratch::StoreScratch;
use varve_copy::CopyData;
use varve_settings::SearchPath;

/// What one statement runs with.
pub(crate) struct Run<'a> {
    pub shared: &'a Shared,
    pub host: &'a SessionHost,
    pub catalog: &'a Arc<Catalog>,
    /// Where functions see what their statements made of the catalog.
    pub catalogs: &'a RefCell<CatalogCache>,
    pub path: &'a SearchPath,
    pub temporary: &'a RefCell<Temporary>,
    pub cancel: &'a CancelFlag,
    pub parameters: Parameters<'a>,
    pub locale: &'a Locale,
    pub scope: Scope,
    /// What tables held before the statement around.
    pub before: Option<&'a Before>,
    /// Set to table and tree of an index that is to be built once the transaction is committed.
    pub building: Cell<Option<(ObjectId, TreeId)>>,
    /// What the phases before the execution took.
    pub laps: Laps,
    /// How many functions are around.
    pub depth: u32,
    /// Where the nodes of the next plan are counted, for EXPLAIN ANALYZE.
    pub profile: RefCell<Counting>,
    /// What functions had to say.
    pub notices: RefCell<Vec<Notice>>,
}

/// Whether the nodes of a plan are counted.
#[derive(Default)]
pub(crate) enum Counting {
    #[default]
    Off,
    /// Those of the next plan that runs.
    Wanted,
    Done(Profile),
}

impl Run<'_> {
    /// Refuses a statement that writes in a transaction that only reads.
    pub(super) fn check_read_only(&self, statement: &Statement) -> Result<()> {
        if self.scope.modes.read_only
            && !is_for_session(statement)
            && let Some(command) = writing_command(statement)
        {
            return Err(read_only_error(command));
        }
        Ok(())
    }

    /// Runs a statement that neither begins nor ends a block and is no COPY.
    pub async fn statement(
        &self,
        txn: &mut StatementTxn,
        statement: &Statement,
    ) -> Result<ResultSet> {
        self.check_read_only(statement)?;
        match statement {
            Statement::Query(query) => {
                let batches = self.rows_of(&txn.store, &query.plan).await?;
                Ok(ResultSet {
                    batches,
                    command: "SELECT",
                    ..ResultSet::default()
                })
            }
            Statement::Call(query) => {
                let mut batches = self.rows_of(&txn.store, &query.plan).await?;
                if query.fields.is_empty() {
                    batches.clear();
                }
                Ok(ResultSet {
                    batches,
                    ..ResultSet::command("CALL")
                })
            }
            Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Merge(_) => self.change(txn, statement).await,
            Statement::Explain { statement, options } => {
                self.explain(txn, statement, options).await
            }
            Statement::Changes(changes) => self.changes(txn, changes).await,
            Statement::CopyTo(copy) => {
                let source = Box::pin(self.statement(txn, &copy.source)).await?;
                let rows = source.row_count() as u64;
                let data = CopyData::new(copy, source.batches, self.locale);
                Ok(ResultSet {
                    notices: source.notices,
                    copied: Some(Box::new(data)),
                    ..ResultSet::changed("COPY", rows)
                })
            }
            statement => {
                self.fire_truncate(txn, statement, Timing::BEFORE_STATEMENT)
                    .await?;
                let result = self.define(txn, statement).await?;
                self.fire_truncate(txn, statement, Timing::AFTER_STATEMENT)
                    .await?;
                Ok(result)
            }
        }
    }

    /// Runs an INSERT, UPDATE, DELETE or MERGE.
    async fn change(&self, txn: &mut StatementTxn, statement: &Statement) -> Result<ResultSet> {
        let mut writer = self.writer(txn);
        let changed = match statement {
            Statement::Insert(insert) => writer.run_insert(insert).await,
            Statement::Update(update) => writer.run_modify(update, Event::Update).await,
            Statement::Delete(delete) => writer.run_modify(delete, Event::Delete).await,
            Statement::Merge(merge) => writer.run_merge(merge).await,
            _ => Err(Error::internal("a statement that changes no rows")),
        }?;
        if let Some(key) = changed.inserted_key {
            self.host.note_inserted(key);
        }
        let mut result = ResultSet::changed(changed.command, changed.rows);
        result.batches = changed.returned.unwrap_or_default();
        Ok(result)
    }

    /// Fires the triggers of tables that are emptied.
    async fn fire_truncate(
        &self,
        txn: &mut StatementTxn,
        statement: &Statement,
        timing: Timing,
    ) -> Result<()> {
        let Statement::Truncate { tables, .. } = statement else {
            return Ok(());
        };
        let mut writer = self.writer(txn);
        for table in tables {
            let fired = writer.fire_statement(table, Event::Truncate, timing, &[]);
            fired.await?;
        }
        Ok(())
    }

    /// Runs statements that change rows, then the one that reads what they return.
    async fn changes(&self, txn: &mut StatementTxn, changes: &Changes) -> Result<ResultSet> {
        let Changes {
            changes,
            body,
            read_before,
        } = changes;
        let before = Before::read(&self.source(&txn.store), read_before).await?;
        let run = Run {
            before: (!before.is_empty()).then_some(&before),
            building: Cell::default(),
            profile: RefCell::new(self.profile.take()),
            notices: RefCell::default(),
            ..*self
        };
        let result = run.changed(txn, changes, body).await;
        self.profile.replace(run.profile.take());
        self.notices.borrow_mut().append(&mut run.notices.take());
        result
    }

    async fn changed(
        &self,
        txn: &mut StatementTxn,
        changes: &[Change],
        body: &Statement,
    ) -> Result<ResultSet> {
        let mut returned: Vec<(&Change, Plan)> = Vec::with_capacity(changes.len());
        let with_rows = |statement: &Statement, returned: &[(&Change, Plan)]| {
            let all = returned.iter();
            all.fold(statement.clone(), |statement, (change, rows)| {
                statement.with_named(change, rows)
            })
        };
        for change in changes {
            let statement = with_rows(&change.statement, &returned);
            let result = Box::pin(self.statement(txn, &statement)).await?;
            let literal = |(value, ty): (Value, &LogicalType)| Expr::Literal { value, ty: *ty };
            let literals = |row: Vec<Value>| row.into_iter().zip(&change.types).map(literal);
            let rows = result.rows().into_iter();
            let rows = Plan::Values {
                rows: rows.map(|row| literals(row).collect()).collect(),
                types: change.types.clone(),
            };
            returned.push((change, rows));
        }
        let body = with_rows(body, &returned);
        Box::pin(self.statement(txn, &body)).await
    }

    pub(super) fn eval(&self) -> EvalContext<'_> {
        self.host.context(self.parameters, self.locale)
    }

    /// What the statement sees.
    fn source<'s>(&'s self, transaction: &'s Transaction) -> TransactionSource<'s> {
        TransactionSource {
            transaction,
            catalog: self.catalog,
            before: self.before,
            views: Some(self.host),
        }
    }

    #[inline]
    pub(super) fn writer<'w>(&'w self, txn: &'w mut StatementTxn) -> Writer<'w> {
        Writer::new(self.catalog, txn, self.eval(), self.cancel, Some(self))
    }

    /// All rows of a plan, within the memory limit.
    pub(crate) async fn rows_of(
        &self,
        transaction: &Transaction,
        plan: &Plan,
    ) -> Result<Vec<Batch>> {
        if let Some(batches) = self.direct(transaction, plan).await? {
            return Ok(batches);
        }
        let mut collected = CollectedRows::new(self.shared.memory.clone());
        let mut rows = RowsTo::Collected(&mut collected);
        self.read(transaction, plan, &mut rows).await?;
        Ok(collected.batches)
    }

    /// Runs a query whose rows are handed out one batch after another.
    pub(super) async fn give(
        &self,
        txn: &mut StatementTxn,
        query: &Query,
        outlet: &Outlet,
    ) -> Result<ResultSet> {
        outlet.open(&query.fields);
        if let Some(batches) = self.direct(&txn.store, &query.plan).await? {
            for batch in batches {
                outlet.give(batch).await;
            }
        } else {
            let mut rows = RowsTo::Outlet(outlet);
            self.read(&txn.store, &query.plan, &mut rows).await?;
        }
        Ok(ResultSet::command("SELECT"))
    }

    /// The rows of a plan that is computed at once; `None` for every other plan.
    async fn direct(&self, transaction: &Transaction, plan: &Plan) -> Result<Option<Vec<Batch>>> {
        self.cancel.check()?;
        let is_counted = matches!(*self.profile.borrow(), Counting::Wanted);
        if is_counted || self.before.is_some() {
            return Ok(None);
        }
        let batches = direct_rows(transaction, plan, &self.eval()).await?;
        if batches.is_some() {
            self.sleep().await?;
        }
        Ok(batches)
    }

    /// Runs a plan to its end, or until no more rows are wanted.
    async fn read(
        &self,
        transaction: &Transaction,
        plan: &Plan,
        rows: &mut RowsTo<'_>,
    ) -> Result<()> {
        let source = self.source(transaction);
        let scratch = StoreScratch::new(&self.shared.store);
        let account: Arc<dyn MemoryAccount> = self.shared.memory.clone();
        let context = ExecContext {
            source: &source,
            scratch: &scratch,
            env: &*self.shared.env,
            memory: account,
            params: self.parameters,
            locale: self.locale,
            host: Some(self.host),
            cancel: self.cancel,
        };
        let is_counted = matches!(*self.profile.borrow(), Counting::Wanted);
        let mut stream = if is_counted {
            let (stream, profile) = execute_instrumented(plan, &context)?;
            self.profile.replace(Counting::Done(profile));
            stream
        } else {
            execute(plan, &context)?
        };
        while let Some(batch) = stream.next().await? {
            self.sleep().await?;
            if !rows.take(batch.compact()).await? {
                break;
            }
        }
        Ok(())
    }

    /// Waits for locks, and as long as functions have asked for, since it was called last.
    async fn sleep(&self) -> Result<()> {
        /// How late a cancel is noticed.
        const SLICE_US: u64 = 10_000;
        self.host.wait_for_locks(self.cancel).await?;
        let duration_us = self.host.take_sleep();
        if duration_us == 0 {
            return Ok(());
        }
        let env = &self.shared.env;
        let end_us = env.monotonic_us().saturating_add(duration_us);
        loop {
            self.cancel.check()?;
            match end_us.saturating_sub(env.monotonic_us()) {
                0 => return Ok(()),
                left_us => env.sleep(left_us.min(SLICE_US)).await,
            }
        }
    }

    async fn explain(
        &self,
        txn: &mut StatementTxn,
        statement: &Statement,
        options: &ExplainOptions,
    ) -> Result<ResultSet> {
        let mut actual = None;
        if options.analyze {
            let [parse_us, plan_us, begin_us, ..] = self.laps;
            let before_us = [parse_us, plan_us, begin_us];
            let before = self.shared.store.stats();
            let start_us = self.shared.env.monotonic_us();
            self.profile.replace(Counting::Wanted);
            let result = Box::pin(self.statement(txn, statement)).await?;
            let elapsed_us = self.shared.env.monotonic_us().saturating_sub(start_us);
            let after = self.shared.store.stats();
            let hits = |stats: &StoreStats| stats.page_cache.hits + stats.group_cache.hits;
            let nodes = match self.profile.take() {
                Counting::Done(profile) => profile.nodes(),
                _ => Vec::new(),
            };
            let node = |node: NodeProfile| NodeActual {
                rows: node.rows,
                elapsed_us: node.elapsed_us,
            };
            actual = Some(StatementActual {
                nodes: nodes.into_iter().map(node).collect(),
                rows: result.affected_rows.unwrap_or(result.row_count() as u64),
                elapsed_us,
                before_us,
                pages_hit: hits(&after).saturating_sub(hits(&before)),
                pages_read: after
                    .page_cache
                    .misses
                    .saturating_sub(before.page_cache.misses),
                vectors_decoded: after.vectors_decoded.saturating_sub(before.vectors_decoded),
                vectors_known: after.vectors_known.saturating_sub(before.vectors_known),
            });
        }
        if options.query_plan {
            return Ok(explained::query_plan(&explain_query_plan(statement, self)));
        }
        let mut lines = explain_with(statement, options, self, actual.as_ref());
        if options.storage {
            lines.extend(explained::storage_lines(&self.shared.store, statement)?);
            if let Some(actual) = &actual {
                lines.push(format!(
                    "Storage Read: pages hit={} read={}, vectors decoded={} known={}",
                    actual.pages_hit,
                    actual.pages_read,
                    actual.vectors_decoded,
                    actual.vectors_known
                ));
            }
        }
        Ok(explained::lines(lines, options.json))
    }
}

impl StatementRunner for Run<'_> {
    #[inline]
    fn rows_of<'a>(
        &'a self,
        transaction: &'a Transaction,
        plan: &'a Plan,
    ) -> LocalFuture<'a, Result<Vec<Batch>>> {
        Box::pin(Run::rows_of(self, transaction, plan))
    }

    #[inline]
    fn triggers<'a>(
        &'a self,
        table: &'a TableDef,
        event: Event,
        timing: Timing,
        assigned: &[usize],
    ) -> Result<Vec<Box<dyn Trigger + 'a>>> {
        self.caller().triggers(table, event, timing, assigned)
    }
}

/// Whether a statement changes a temporary table, which a transaction may that only reads.
fn is_for_session(statement: &Statement) -> bool {
    let schema = match statement {
        Statement::Insert(insert) => insert.table.schema,
        Statement::Update(modify) | Statement::Delete(modify) => modify.table.schema,
        _ => return false,
    };
    is_temporary(schema)
}

/// The name of a statement that writes.
fn writing_command(statement: &Statement) -> Option<&'static str> {
    match statement {
        Statement::Insert(_) => Some("INSERT"),
        Statement::Update(_) => Some("UPDATE"),
        Statement::Delete(_) => Some("DELETE"),
        Statement::Merge(_) => Some("MERGE"),
        Statement::CreateTable { .. } => Some("CREATE TABLE"),
        Statement::Utility(utility) => match utility.as_ref() {
            Utility::Nothing | Utility::LockTable | Utility::Analyze => None,
            Utility::Drop(_) | Utility::DropColumns(..) => Some("DROP"),
            Utility::CreateView(_) => Some("CREATE VIEW"),
            Utility::CreateMaterializedView { .. } => Some("CREATE MATERIALIZED VIEW"),
            Utility::CreateAggregate(_) => Some("CREATE MATERIALIZED VIEW"),
            Utility::Refresh { .. } | Utility::RefreshRange(_) => Some("REFRESH MATERIALIZED VIEW"),
            Utility::CreateTableAs { .. } => Some("CREATE TABLE AS"),
            Utility::CreateSchema(_) => Some("CREATE SCHEMA"),
            Utility::CreateDomain(_) => Some("CREATE DOMAIN"),
            Utility::PutEnum(def, _) if def.object == ObjectId(0) => Some("CREATE TYPE"),
            Utility::PutEnum(..) => Some("ALTER TYPE"),
            Utility::PutTrigger(_, "CREATE") => Some("CREATE TRIGGER"),
            Utility::PutTrigger(..) => Some("ALTER TABLE"),
            Utility::PutFunction(def, "CREATE") if def.is_procedure => Some("CREATE PROCEDURE"),
            Utility::PutFunction(_, "CREATE") => Some("CREATE FUNCTION"),
            Utility::PutFunction(def, _) if def.is_procedure => Some("ALTER PROCEDURE"),
            Utility::PutFunction(..) => Some("ALTER FUNCTION"),
            // Its statements are looked at one by one.
            Utility::Do(_) => None,
            Utility::Alter(_) => Some("ALTER"),
            Utility::Comment(..) => Some("COMMENT"),
        },
        Statement::AlterTable(_) => Some("ALTER TABLE"),
        Statement::Truncate { .. } => Some("TRUNCATE TABLE"),
        Statement::CreateSequence { .. } => Some("CREATE SEQUENCE"),
        Statement::AlterSequence { .. } => Some("ALTER SEQUENCE"),
        Statement::CreateIndex { .. } => Some("CREATE INDEX"),
        Statement::DropIndex { .. } => Some("DROP INDEX"),
        Statement::CopyFrom(_) => Some("COPY FROM"),
        Statement::Changes(changes) => {
            let mut all = changes.changes.iter();
            all.find_map(|change| writing_command(&change.statement))
        }
        Statement::CopyTo(copy) => writing_command(&copy.source),
        Statement::Query(query) => query.plan.row_lock().map(|lock| lock.strength.command()),
        // The statements of a procedure are looked at one by one.
        Statement::Call(_)
        | Statement::Explain { .. }
        | Statement::Command(_)
        | Statement::Session(_) => None,
    }
}

/// `25006`
pub(super) fn read_only_error(command: &str) -> Error {
    Error::new(
        SqlState::READ_ONLY_SQL_TRANSACTION,
        format!("cannot execute {command} in a read-only transaction"),
    )
}
