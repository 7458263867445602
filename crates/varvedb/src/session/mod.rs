//! A session: SQL in, results out, one statement at a time.

mod after_commit;
mod batch;
mod block;
mod calls;
mod command;
mod copy_in;
mod cursor;
mod define;
mod dictionaries;
mod explained;
mod kept;
mod of_block;
mod overlay_settings;
mod parameters;
mod phase_clock;
mod plan;
mod request;
pub(crate) mod routine;
mod rows;
pub(crate) mod run;
mod savepoint;
mod script;
mod show;
mod statement_locale;
mod stream;
pub(crate) mod temporary;
mod transparent;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use varve_ast::Command;
use varve_catalog::Catalog;
use varve_ddl::CatalogCache;
use varve_dml::{Constraint, StatementTxn, Writer};
use varve_expr::{Locale, Parameters};
use varve_plan::{Bound, Statement};
use varve_types::meter::{self, Meter, metered};
use varve_types::{
    Error, Failure, LocalFuture, LogicalType, Notice, ObjectId, Result, SqlState, TreeId, Value,
};

use crate::host::SessionHost;
use crate::shared::Shared;
use crate::shared::phases::Phase;
use crate::shared::planned::Filled;
use crate::shared::prepared::Prepared;
use crate::shared::result_set::ResultSet;
use crate::shared::result_set::notice_of;
use crate::shared::statements::{Known, Parsed};

pub use batch::BatchError;
pub use stream::RowStream;

use self::after_commit::AfterCommit;
use crate::shared::cancel::CancelFlag;
use crate::transparent::Maintenance;
use block::Block;
use cursor::Cursors;
use kept::{PreparedStatements, Surroundings};
use phase_clock::PhaseClock;
use request::{Request, Task};
use rows::outlet::Outlet;
use temporary::Temporary;
use varve_settings::SessionSettings;
use varve_settings::modes::Modes;
use varve_settings::other;

/// Most times that a statement outside a transaction block is run again because another commit came
/// between.
const CONFLICT_RETRIES_MAX: u32 = 8;

/// A session with its transaction block. Dropping it in a block drops what the block wrote.
pub struct Session {
    shared: Arc<Shared>,
    host: Arc<SessionHost>,
    catalog: RefCell<CatalogCache>,
    settings: SessionSettings,
    block: Block,
    cancel: Arc<CancelFlag>,
    clock: PhaseClock,
    copy: Option<copy_in::OpenCopy>,
    /// Table and tree of an index that the statement of this transaction leaves to be built.
    building: Option<(ObjectId, TreeId)>,
    /// The maintenance that the statement of this transaction asks for.
    maintenance: Option<Maintenance>,
    /// Tables whose views are to be made again behind the statement that runs.
    without_views: Vec<ObjectId>,
    cursors: Cursors,
    prepared: PreparedStatements,
    temporary: RefCell<Temporary>,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>) -> Session {
        let temporary = Temporary::new(&shared);
        Session {
            settings: SessionSettings::new(shared.durability),
            host: Arc::new(SessionHost::new(Arc::clone(&shared))),
            cancel: Arc::new(CancelFlag::new(Arc::clone(&shared.env))),
            shared,
            catalog: RefCell::new(CatalogCache::new(temporary.schema)),
            block: Block::None,
            clock: PhaseClock::default(),
            copy: None,
            building: None,
            maintenance: None,
            without_views: Vec::new(),
            cursors: Cursors::default(),
            prepared: PreparedStatements::new(),
            temporary: RefCell::new(temporary),
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The catalog as the next transaction would see it.
    pub(crate) fn catalog_now(&self) -> Result<Arc<Catalog>> {
        let transaction = self.shared.store.begin();
        self.catalog
            .borrow_mut()
            .get(&transaction, &self.settings.search_path)
    }

    /// The flag that stops the statement that is running, from wherever it is raised.
    pub fn cancel_flag(&self) -> Arc<CancelFlag> {
        Arc::clone(&self.cancel)
    }

    /// Whether a transaction block is open, failed ones included.
    pub fn in_transaction(&self) -> bool {
        !matches!(self.block, Block::None)
    }

    /// Runs one statement with parameters `$1`, `$2`, ...
    ///
    /// Several statements answer `42601`; an empty text answers an empty result.
    pub async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<ResultSet> {
        self.run_text(sql, parameters, None).await
    }

    /// Runs a text of one statement; `outlet` takes the rows of a query as they come.
    async fn run_text(
        &mut self,
        sql: &str,
        parameters: &[Value],
        outlet: Option<&Outlet>,
    ) -> Result<ResultSet> {
        self.begin_call();
        match self.task(sql, !parameters.is_empty()) {
            Ok(Some(task)) => {
                let request = Request {
                    task,
                    parameters,
                    outlet,
                };
                self.run(request).await
            }
            Ok(None) => Ok(ResultSet::default()),
            Err(error) => self.fail_block(error).await,
        }
    }

    /// Parses and plans one statement for [`Session::execute_prepared`]. `types` fixes the types of
    /// the first parameters; where it has `None` or ends, they follow from the statement.
    pub async fn prepare(&mut self, sql: &str, types: &[Option<LogicalType>]) -> Result<Prepared> {
        self.cancel.lower();
        if let Block::Failed { .. } = self.block {
            return Err(block::failed_block_error());
        }
        let meter = Arc::new(self.meter());
        self.cancel.allow(self.settings.statement_timeout_us);
        match meter.within(|| self.prepare_statement(sql, types)) {
            Ok(prepared) => Ok(prepared),
            Err(error) => self.fail_block(error).await,
        }
    }

    fn prepare_statement(&mut self, sql: &str, types: &[Option<LogicalType>]) -> Result<Prepared> {
        let catalog = match &self.block {
            Block::Open(open) => self
                .catalog
                .borrow_mut()
                .get(&open.txn.store, &self.settings.search_path)?,
            _ => self
                .catalog
                .borrow_mut()
                .get(&self.shared.store.begin(), &self.settings.search_path)?,
        };
        self.prepared_with(&catalog, sql, types)
    }

    /// Runs a prepared statement with parameters `$1`, `$2`, ...
    pub async fn execute_prepared(
        &mut self,
        prepared: &Prepared,
        parameters: &[Value],
    ) -> Result<ResultSet> {
        self.begin_call();
        let task = Task::Prepared(prepared);
        self.run(Request::new(task, parameters)).await
    }

    /// What is known of a text of one statement; `None` for one without a statement.
    fn task<'a>(&self, sql: &'a str, has_parameters: bool) -> Result<Option<Task<'a>>> {
        let task = self.task_of_script(sql, has_parameters)?;
        if let Task::Text(_, Known::Tree(parsed)) = &task {
            check_single(parsed)?;
            if parsed.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(task))
    }

    /// What is known of a text of any number of statements: a plan only where there is one.
    fn task_of_script<'a>(&self, sql: &'a str, has_parameters: bool) -> Result<Task<'a>> {
        let known = self.shared.statements.find(sql, has_parameters)?;
        self.end_phase(Phase::Parse, 0);
        Ok(Task::Text(sql, known))
    }

    /// A call of the application begins.
    fn begin_call(&self) {
        self.cancel.lower();
        self.clock.start(&self.shared);
    }

    fn end_phase(&self, phase: Phase, rows: u64) {
        self.clock.end(&self.shared, phase, rows);
    }

    /// Of a statement that begins.
    fn meter(&self) -> Meter {
        Meter::new(self.shared.memory.clone(), self.cancel.clone())
    }

    /// Runs a statement. What it leads to is most of the engine: as a future of its own it is
    /// compiled once, not again in each crate that waits for one.
    fn run<'a>(&'a mut self, request: Request<'a>) -> LocalFuture<'a, Result<ResultSet>> {
        let meter = self.meter();
        Box::pin(metered(meter, self.run_metered(request)))
    }

    async fn run_metered(&mut self, request: Request<'_>) -> Result<ResultSet> {
        if self.copy.is_some() {
            return Err(copy_pending_error());
        }
        if let Some(command) = request.task.command() {
            let parameters = request.parameters;
            if !parameters.is_empty() {
                let error = parameters::typed_parameters(parameters, &[], &self.settings.locale);
                return match error {
                    Err(error) => self.fail_block(error).await,
                    Ok(_) => Err(Error::internal("parameters were accepted")),
                };
            }
            let result = self.run_command(command).await;
            self.end_phase(phase_of(command), 0);
            return result;
        }
        let result = self.run_planned(&request).await;
        if let Ok(ResultSet {
            command: "INSERT" | "UPDATE" | "DELETE" | "MERGE",
            affected_rows: Some(rows),
            ..
        }) = &result
        {
            self.host.note_changes(*rows);
        }
        self.settle_settings(result)
    }

    async fn run_planned(&mut self, request: &Request<'_>) -> Result<ResultSet> {
        match std::mem::replace(&mut self.block, Block::lost()) {
            failed @ Block::Failed { .. } => {
                self.block = failed;
                Err(block::failed_block_error())
            }
            Block::None => {
                self.block = Block::None;
                self.run_alone(request).await
            }
            Block::Open(mut open) => {
                let scope = open.scope();
                let result = self.run_in(&mut open.txn, request, scope).await;
                match result {
                    Ok(result) => {
                        open.has_run = true;
                        self.block = Block::Open(open);
                        Ok(result)
                    }
                    Err(error) => self.fail(open, error).await,
                }
            }
        }
    }

    /// Runs a statement as a transaction of its own, again when another commit came between.
    async fn run_alone(&mut self, request: &Request<'_>) -> Result<ResultSet> {
        let mut retries = 0;
        loop {
            self.maintenance = None;
            let mut txn = StatementTxn::new(self.shared.store.begin());
            self.end_phase(Phase::Begin, 0);
            let scope = Scope {
                now_us: self.shared.env.now_us(),
                modes: self.settings.modes,
                is_alone: true,
                savepoints: 0,
            };
            let mut result = self.run_in(&mut txn, request, scope).await;
            if result.is_ok() {
                let checked = self.check_deferred(&mut txn, None, scope.now_us);
                result = checked.await.and(result);
            }
            if result.is_ok() {
                let ended = self.end_temporary(&mut txn.store).await;
                result = ended.and(result);
            }
            let mut result = match result {
                Ok(result) => result,
                Err(error) => {
                    self.cursors.roll_back(None);
                    self.host.release_locks(0);
                    txn.store.rollback().await?;
                    return Err(error);
                }
            };
            let durability = self.settings.durability.of_commit();
            let after = AfterCommit::of(&self.shared, &txn.store)?;
            let committed = txn.store.commit(durability).await;
            self.end_phase(Phase::Commit, 0);
            self.host.release_locks(0);
            match committed {
                Ok(_) => {
                    self.cursors.commit();
                    if let Some((table, tree)) = self.building.take() {
                        self.finish_index(table, tree).await?;
                    }
                    if after.is_needed() {
                        self.follow_commit(after, &mut result).await;
                    }
                    if let Some(maintenance) = self.maintenance.take() {
                        return self.maintain(maintenance, result).await;
                    }
                    return Ok(result);
                }
                Err(error)
                    if error.failure() == Some(Failure::Conflict)
                        && !request.outlet.is_some_and(Outlet::has_given)
                        && retries < CONFLICT_RETRIES_MAX =>
                {
                    self.cursors.roll_back(None);
                    retries += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Runs a statement in a transaction.
    fn run_in<'a>(
        &'a mut self,
        txn: &'a mut StatementTxn,
        request: &'a Request<'_>,
        scope: Scope,
    ) -> LocalFuture<'a, Result<ResultSet>> {
        Box::pin(self.run_statement_in(txn, request, scope))
    }

    async fn run_statement_in(
        &mut self,
        txn: &mut StatementTxn,
        request: &Request<'_>,
        scope: Scope,
    ) -> Result<ResultSet> {
        if scope.modes.is_serializable() {
            txn.store.watch_reads();
        }
        txn.store.load_in_bulk(self.settings.bulk_load);
        self.cancel.allow(self.settings.statement_timeout_us);
        let lock_timeout_us = other::lock_timeout_us(&self.settings.others);
        self.host.allow_wait(lock_timeout_us);
        let planned = self.plan_in(txn, &request.task, scope).await?;
        let (Filled { planned, values }, catalog) = planned;
        self.end_phase(Phase::Plan, 0);
        refuse_here(&planned.bound, scope)?;
        let locale = self.locale(scope.now_us, &catalog);
        let types = &planned.bound.parameters;
        let parameters = match &values {
            Some(values) => values.into(),
            None => parameters::typed_parameters(request.parameters, types, &locale)?,
        };
        // Functions of users may ask for settings.
        if planned.bound.reads_settings || !catalog.functions.is_empty() {
            self.overlay_settings(scope.modes, planned.bound.reads_settings);
        }
        let around = Surroundings {
            txn,
            catalog: &catalog,
            scope,
        };
        let mut result = match &planned.bound.statement {
            Statement::Session(kept) => {
                let ran = self.run_session_statement(around, request, &parameters, kept);
                ran.await?
            }
            statement => {
                let calls = Some(&planned.bound);
                let ran =
                    self.run_statement(around, (statement, calls), &parameters, request.outlet);
                let ran = ran.await;
                // What a refused buffer led to is no answer, and no other error either.
                meter::refusal()?;
                ran?
            }
        };
        if self.may_change_configured(&planned.bound.statement, &catalog) {
            let told = (scope, &mut result.notices);
            self.follow_definitions(txn, &catalog, told).await?;
        }
        let rows = result.affected_rows.unwrap_or(result.row_count() as u64);
        self.end_phase(Phase::Execute, rows);
        let messages = planned.bound.messages.iter().map(notice_of);
        result.notices.splice(0..0, messages);
        let others = &self.settings.others;
        let is_wanted = |notice: &Notice| other::wants(others, notice.severity);
        result.notices.retain(is_wanted);
        if result.fields.is_empty() {
            result.fields = Arc::clone(&planned.fields);
        }
        Ok(result)
    }

    /// Runs a statement that was bound, after the functions that it calls.
    async fn run_statement(
        &mut self,
        around: Surroundings<'_>,
        (mut statement, calls): (&Statement, Option<&Bound>),
        parameters: &[Value],
        outlet: Option<&Outlet>,
    ) -> Result<ResultSet> {
        let Surroundings {
            txn,
            catalog,
            scope,
        } = around;
        let locale = self.locale(scope.now_us, catalog);
        self.temporary
            .borrow_mut()
            .prepare(&mut txn.store, statement)?;
        self.host.enter(&txn.store, catalog).await?;
        let mut run = self.run_with(catalog, &locale, parameters, scope);
        let called;
        if let Some(bound) = calls.filter(|bound| bound.has_calls()) {
            called = Box::pin(run.with_results(txn, bound)).await?;
            run.parameters.called = &called.results;
            statement = called.statement.as_ref().unwrap_or(statement);
        }
        let mut result = match (statement, outlet) {
            (Statement::Query(query), Some(outlet)) => {
                run.check_read_only(statement)?;
                run.give(txn, query, outlet).await?
            }
            _ => run.statement(txn, statement).await?,
        };
        result.notices.splice(0..0, run.notices.take());
        result.notices.extend(self.host.take_notices());
        self.building = run.building.take();
        let durability = self.settings.durability.of_commit();
        self.host.keep_sequences(&mut txn.store, durability).await?;
        result.locale = locale;
        Ok(result)
    }

    /// What a statement runs with.
    fn run_with<'a>(
        &'a self,
        catalog: &'a Arc<Catalog>,
        locale: &'a Locale,
        parameters: &'a [Value],
        scope: Scope,
    ) -> run::Run<'a> {
        run::Run {
            shared: &self.shared,
            host: &self.host,
            catalog,
            catalogs: &self.catalog,
            path: &self.settings.search_path,
            temporary: &self.temporary,
            cancel: &self.cancel,
            parameters: Parameters::given(parameters),
            locale,
            scope,
            depth: 0,
            before: None,
            building: Cell::default(),
            laps: self.clock.laps(),
            profile: RefCell::default(),
            notices: RefCell::default(),
        }
    }

    /// Checks what a transaction has put off of some constraints, or of all.
    async fn check_deferred(
        &mut self,
        txn: &mut StatementTxn,
        constraints: Option<&[Constraint]>,
        now_us: i64,
    ) -> Result<()> {
        if !txn.deferred.is_waiting() {
            return Ok(());
        }
        let path = &self.settings.search_path;
        let catalog = self.catalog.borrow_mut().get(&txn.store, path)?;
        let locale = self.locale(now_us, &catalog);
        let context = self.host.context(Parameters::NONE, &locale);
        let mut writer = Writer::new(&catalog, txn, context, &*self.cancel, None);
        let settled = writer.settle_deferred(constraints).await;
        meter::refusal().and(settled)
    }
}

/// What a statement takes from its transaction block.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    /// `now()`: when the transaction began.
    now_us: i64,
    modes: Modes,
    /// Whether the statement is all that the transaction does.
    is_alone: bool,
    /// Number of savepoints that are set.
    savepoints: usize,
}

/// What a command does, told as a phase.
fn phase_of(command: &Command) -> Phase {
    match command {
        Command::Begin(_) => Phase::Begin,
        Command::Commit { .. } | Command::Rollback { .. } => Phase::Commit,
        _ => Phase::Execute,
    }
}

fn check_single(parsed: &Parsed) -> Result<()> {
    if parsed.len() > 1 {
        return Err(Error::new(
            SqlState::SYNTAX_ERROR,
            "cannot insert multiple commands into a prepared statement",
        ));
    }
    Ok(())
}

fn no_statement_error() -> Error {
    Error::internal("a text that was parsed has no statement")
}

fn copy_pending_error() -> Error {
    Error::new(
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        "a COPY is waiting for its data",
    )
}

/// Refuses a statement that cannot run where it is.
fn refuse_here(bound: &Bound, scope: Scope) -> Result<()> {
    if let Some(what) = bound.outside_block
        && !scope.is_alone
    {
        let message = format!("{what} cannot run inside a transaction block");
        return Err(Error::new(SqlState::ACTIVE_SQL_TRANSACTION, message));
    }
    if let Statement::CopyFrom(_) = bound.statement {
        return Err(Error::unsupported("COPY FROM STDIN as a query").with_hint(
            "Give the data with copyFrom, or import a file with the shell's import command.",
        ));
    }
    Ok(())
}
