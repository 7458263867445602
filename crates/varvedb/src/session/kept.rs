//! What a session keeps from one statement to the next: prepared statements and cursors.

use std::sync::Arc;

use varve_ast::DiscardWhat;
use varve_bind::bind_arguments;
use varve_catalog::{Catalog, SchemaDef};
use varve_dml::StatementTxn;
use varve_expr::{EvalContext, Parameters, evaluate_constant};
use varve_parser::ParsedStatement;
use varve_plan::{Query, SessionStatement, Statement, Utility};
use varve_sort::VecMap;
use varve_types::{Error, LogicalType, MemoryAccount, Result, SqlState, Value};

use super::cursor::Cursor;
use super::request::{Request, Task};
use super::{Scope, Session, check_single, no_statement_error};
use crate::shared::planned::Planned;
use crate::shared::prepared::Prepared;
use crate::shared::result_set::ResultSet;
use crate::shared::statements::Known;

/// The statements of PREPARE by name, with their texts.
pub(super) type PreparedStatements = VecMap<String, (Prepared, Arc<str>)>;

/// What a statement runs in.
pub(super) struct Surroundings<'a> {
    pub txn: &'a mut StatementTxn,
    pub catalog: &'a Arc<Catalog>,
    pub scope: Scope,
}

impl Session {
    pub(super) async fn run_session_statement(
        &mut self,
        around: Surroundings<'_>,
        request: &Request<'_>,
        parameters: &[Value],
        kept: &SessionStatement,
    ) -> Result<ResultSet> {
        match kept {
            SessionStatement::Prepare {
                name,
                types,
                text,
                position,
            } => self.keep_prepared(around.catalog, (name, text), types, *position),
            SessionStatement::Execute { name, around: text } => {
                Box::pin(self.execute_named(around, request, name, text.as_ref())).await
            }
            SessionStatement::Declare {
                name,
                scroll,
                hold,
                query,
            } => {
                if around.scope.is_alone && !hold {
                    return Err(super::block::no_block_error("DECLARE CURSOR"));
                }
                self.cursors.check_free(name)?;
                let fields = query.fields.as_slice().into();
                let savepoints = around.scope.savepoints;
                let statement = Statement::Query(Query::clone(query));
                let mut result =
                    Box::pin(self.run_statement(around, (&statement, None), &[], None)).await?;
                result.fields = fields;
                let account: Arc<dyn MemoryAccount> = self.shared.memory.clone();
                let depth = savepoints;
                let cursor = Cursor::new(result, (*scroll, *hold), depth, account)?;
                self.cursors.add(name, cursor);
                Ok(ResultSet::command("DECLARE"))
            }
            SessionStatement::Transparent {
                function,
                arguments,
                field,
            } => {
                let given = (arguments.as_slice(), parameters);
                Box::pin(self.run_transparent(around, *function, given, field)).await
            }
            SessionStatement::Schema { schema, elements } => {
                let path = self.settings.search_path.clone();
                let made = Box::pin(self.make_schema(around, schema, elements)).await;
                self.settings.search_path = path;
                made
            }
        }
    }

    /// Makes a schema, then what is in it with the schema before all others.
    async fn make_schema(
        &mut self,
        around: Surroundings<'_>,
        schema: &SchemaDef,
        elements: &[(String, u32)],
    ) -> Result<ResultSet> {
        let Surroundings {
            txn,
            catalog,
            scope,
        } = around;
        let scope = Scope {
            is_alone: false,
            ..scope
        };
        let statement = Statement::Utility(Box::new(Utility::CreateSchema(schema.clone())));
        let around = Surroundings {
            txn,
            catalog,
            scope,
        };
        let mut result = self
            .run_statement(around, (&statement, None), &[], None)
            .await?;
        self.settings.search_path = self.settings.search_path.behind(&schema.name);
        for (text, position) in elements {
            let moved = |error: Error| error.moved(position.saturating_sub(1));
            let parsed = self.shared.statements.parse(text).map_err(moved)?;
            let task = Task::Text(text, Known::Tree(parsed));
            let made = self.run_in(txn, &Request::new(task, &[]), scope).await;
            result.notices.append(&mut made.map_err(moved)?.notices);
        }
        Ok(result)
    }

    fn keep_prepared(
        &mut self,
        catalog: &Arc<Catalog>,
        (name, text): (&str, &str),
        types: &[Option<LogicalType>],
        position: u32,
    ) -> Result<ResultSet> {
        if self.prepared.contains_key(name) {
            let message = format!("prepared statement \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_PSTATEMENT, message));
        }
        let prepared = self.prepared_with(catalog, text, types);
        let prepared = prepared.map_err(|error| error.moved(position.saturating_sub(1)))?;
        self.prepared
            .insert(name.to_owned(), (prepared, text.into()));
        Ok(ResultSet::command("PREPARE"))
    }

    /// A text as a prepared statement for a catalog.
    pub(super) fn prepared_with(
        &self,
        catalog: &Arc<Catalog>,
        sql: &str,
        types: &[Option<LogicalType>],
    ) -> Result<Prepared> {
        let parsed = self.shared.statements.parse(sql)?;
        let statement = parsed.first().ok_or_else(|| {
            let message = "an empty statement cannot be prepared";
            Error::new(SqlState::SYNTAX_ERROR, message)
        })?;
        check_single(&parsed)?;
        let planned = Planned::new(statement, catalog, types, &self.settings.locale)?;
        Ok(Prepared::new(parsed, types, Arc::new(planned)))
    }

    async fn execute_named(
        &mut self,
        around: Surroundings<'_>,
        request: &Request<'_>,
        name: &str,
        text: Option<&(String, String)>,
    ) -> Result<ResultSet> {
        let (prepared, own_text) = self
            .prepared
            .get(name)
            .cloned()
            .ok_or_else(|| unknown(name))?;
        let types = prepared.parameter_types();
        let exprs = self.with_parsed(&request.task, |parsed| {
            bind_arguments(parsed, around.catalog, &types, &self.settings.locale)
        })?;
        let locale = self.locale(around.scope.now_us, around.catalog);
        let context: EvalContext<'_> = self.host.context(Parameters::NONE, &locale);
        let values = exprs.iter().map(|expr| evaluate_constant(expr, &context));
        let values: Vec<Value> = values.collect::<Result<_>>()?;
        let Surroundings { txn, scope, .. } = around;
        let Some((head, tail)) = text else {
            let request = Request {
                task: Task::Prepared(&prepared),
                parameters: &values,
                outlet: request.outlet,
            };
            return self.run_in(txn, &request, scope).await;
        };
        let whole = format!("{head} {own_text} {tail}");
        let parsed = self.shared.statements.parse(&whole)?;
        let task = Task::Text(&whole, Known::Tree(parsed));
        self.run_in(txn, &Request::new(task, &values), scope).await
    }

    /// The syntax tree of a task.
    fn with_parsed<T>(
        &self,
        task: &Task<'_>,
        then: impl FnOnce(&ParsedStatement) -> Result<T>,
    ) -> Result<T> {
        let parsed = match task {
            Task::Parsed(parsed, _) => return then(parsed),
            Task::Text(_, Known::Tree(parsed)) => Arc::clone(parsed),
            Task::Text(text, Known::Plan(_) | Known::Open(_)) => {
                self.shared.statements.parse(text)?
            }
            Task::Prepared(prepared) => Arc::clone(prepared.parsed()),
        };
        then(parsed.first().ok_or_else(no_statement_error)?)
    }

    pub(super) fn deallocate(&mut self, name: Option<&str>) -> Result<ResultSet> {
        match name {
            None => self.prepared.clear(),
            Some(name) => {
                self.prepared.remove(name).ok_or_else(|| unknown(name))?;
            }
        }
        Ok(ResultSet::command("DEALLOCATE"))
    }

    pub(super) async fn discard(&mut self, what: DiscardWhat) -> Result<ResultSet> {
        if what == DiscardWhat::All && self.in_transaction() {
            let message = "DISCARD ALL cannot run inside a transaction block";
            return Err(Error::new(SqlState::ACTIVE_SQL_TRANSACTION, message));
        }
        if what == DiscardWhat::All {
            self.host.release_session_locks();
            self.cursors.clear();
            self.prepared.clear();
            self.reset_all()?;
        }
        if matches!(what, DiscardWhat::All | DiscardWhat::Sequences) {
            self.host.forget_sequences();
        }
        if matches!(what, DiscardWhat::All | DiscardWhat::Temporary) {
            self.discard_temporary().await?;
        }
        Ok(ResultSet::command("DISCARD"))
    }
}

/// `26000`
fn unknown(name: &str) -> Error {
    let message = format!("prepared statement \"{name}\" does not exist");
    Error::new(SqlState::INVALID_SQL_STATEMENT_NAME, message)
}
