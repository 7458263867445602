//! Goes through the steps of a body.

use std::sync::Arc;
use std::vec::IntoIter;

use varve_catalog::Catalog;
use varve_dml::{Deferred, StatementTxn};
use varve_expr::Locale;
use varve_parser::plpgsql::{Place, Returned, Source, SqlStep, Step, Target, catches};
use varve_store::SavepointId;
use varve_types::{Error, Invariant, LogicalType, Pacer, Result, RowValue, SqlState, Value};

use crate::caller::{Answer, Caller};
use crate::frame::Frame;
use crate::routine::{DEPTH_MAX, Outcome, Routine};

/// A body that is run.
pub(super) struct Body<'a, 'r> {
    pub caller: &'a Caller<'r>,
    pub txn: &'a mut StatementTxn,
    pub routine: &'a mut Routine,
    pub frame: &'a mut Frame,
    /// What the statements before have left.
    pub catalog: Arc<Catalog>,
    pub locale: Locale,
    /// What is open, the innermost last.
    pub(super) open: Vec<Open>,
    /// What the last statement did.
    row_count: u64,
    /// The scope of the step that is taken.
    scope: usize,
}

/// What is open while a body runs.
pub(super) enum Open {
    /// A block that catches nothing.
    Block,
    /// A block that catches errors: what is gone back to, and the step that opened it.
    Try(SavepointId, Box<Deferred>, usize),
    /// An error that is being handled.
    Caught(Error),
    /// The rows of a loop that are to come, and their columns.
    Rows(Vec<(String, LogicalType)>, IntoIter<Vec<Value>>),
    /// The next number of a loop, the last one, and how far it is from one to the next.
    Numbers(Option<i32>, i32, i32),
}

/// Where it goes on.
enum Go {
    On,
    /// At a label, with so much open.
    To(usize, usize),
    Out(Outcome),
}

impl Caller<'_> {
    /// Runs a body with these variables.
    pub(crate) async fn call(
        &self,
        txn: &mut StatementTxn,
        routine: &mut Routine,
        frame: &mut Frame,
    ) -> Result<Outcome> {
        if self.depth >= DEPTH_MAX {
            let message = "stack depth limit exceeded";
            let hint = format!("Functions and triggers call each other at most {DEPTH_MAX} deep.");
            return Err(Error::new(SqlState::STATEMENT_TOO_COMPLEX, message).with_hint(hint));
        }
        let mut body = Body {
            caller: self,
            txn,
            routine,
            frame,
            catalog: Arc::clone(self.catalog),
            locale: self.locale.clone(),
            open: Vec::new(),
            row_count: 0,
            scope: 0,
        };
        body.all().await
    }
}

impl Body<'_, '_> {
    async fn all(&mut self) -> Result<Outcome> {
        let code = Arc::clone(&self.routine.code);
        let mut pacer = Pacer::new(self.caller.env);
        let mut at = 0;
        while let Some((step, place)) = code.steps.get(at) {
            // Nobody catches that it has to end.
            self.caller.cancel.check()?;
            pacer.pause().await;
            self.scope = place.scope;
            let went = self.step(step, at).await;
            at = match went {
                Ok(Go::On) => at + 1,
                Ok(Go::To(label, open)) => {
                    self.close(open)?;
                    code.labels.get(label).copied().or_broken("label")?
                }
                Ok(Go::Out(outcome)) => {
                    self.close(0)?;
                    return Ok(outcome);
                }
                // What is raised again knows where it arose.
                Err(error) => self.caught(match step {
                    Step::Raise(None) => error,
                    _ => placed(error, &self.frame.name, place),
                })?,
            };
        }
        Ok(Outcome::Ended)
    }

    /// Closes all but the outermost so many.
    fn close(&mut self, open: usize) -> Result<()> {
        let mut closed = self.open.drain(open.min(self.open.len())..);
        let outermost = closed.find_map(|open| match open {
            Open::Try(savepoint, ..) => Some(savepoint),
            _ => None,
        });
        drop(closed);
        match outermost {
            Some(savepoint) => Ok(self.txn.store.release(savepoint)?),
            None => Ok(()),
        }
    }

    /// Goes back to the innermost block that catches an error; answers the step of its handler.
    fn caught(&mut self, error: Error) -> Result<usize> {
        let code = Arc::clone(&self.routine.code);
        while let Some(open) = self.open.pop() {
            let Open::Try(savepoint, deferred, at) = open else {
                continue;
            };
            let Some((Step::Try(handlers), _)) = code.steps.get(at) else {
                continue;
            };
            let is_for = |condition: &String| catches(condition, error.state());
            let mut handlers = handlers.iter();
            let found = handlers.find(|(conditions, _)| conditions.iter().any(is_for));
            let Some((_, label)) = found else {
                continue;
            };
            self.txn.store.rollback_to(savepoint)?;
            self.txn.store.release(savepoint)?;
            self.txn.deferred = *deferred;
            let handler = code.labels.get(*label).copied().or_broken("label")?;
            if let Some((_, place)) = code.steps.get(handler) {
                self.scope = place.scope;
            }
            for (name, text) in [
                ("sqlstate", error.state().code()),
                ("sqlerrm", error.message()),
            ] {
                self.set(&(None, name.to_owned()), &Value::text(text))?;
            }
            self.open.push(Open::Caught(error));
            return Ok(handler);
        }
        Err(error)
    }

    pub(super) fn set(&mut self, target: &Target, value: &Value) -> Result<()> {
        let code = Arc::clone(&self.routine.code);
        let names = (&*code, self.scope);
        self.frame.set(target, names, value, self.caller)
    }

    async fn step(&mut self, step: &Step, at: usize) -> Result<Go> {
        match step {
            Step::Declare(number) => self.declare(*number).await?,
            Step::Assign(target, piece) => self.assign_value(target, *piece).await?,
            Step::JumpUnless(piece, label) => {
                if self.value(*piece).await?.0 != Value::Boolean(true) {
                    return Ok(Go::To(*label, self.open.len()));
                }
            }
            Step::Jump(label, open) => return Ok(Go::To(*label, *open)),
            Step::Sql(sql) => {
                let result = self.rows(&sql.source).await?;
                self.take_result(&result, sql)?;
            }
            Step::Rows(source) => self.open_rows(source).await?,
            Step::Elements(piece) => self.open_elements(*piece).await?,
            Step::Numbers {
                from,
                to,
                by,
                reverse,
            } => self.open_numbers((*from, *to), *by, *reverse).await?,
            Step::Next(targets, end) => {
                if !self.next(targets)? {
                    return Ok(Go::To(*end, self.open.len().saturating_sub(1)));
                }
                self.found(true)?;
            }
            Step::Try(handlers) => {
                let open = match handlers.is_empty() {
                    true => Open::Block,
                    false => {
                        let savepoint = self.txn.store.savepoint();
                        Open::Try(savepoint, Box::new(self.txn.deferred.clone()), at)
                    }
                };
                self.open.push(open);
            }
            Step::Return(returned) => return self.returned(returned).await.map(Go::Out),
            Step::ReturnNext(piece) => self.return_next(*piece).await?,
            Step::ReturnQuery(source) => self.return_query(source).await?,
            Step::Raise(Some(raise)) => self.raise(raise).await?,
            Step::Raise(None) => {
                let what = "RAISE without parameters";
                return Err(self.handled(what)?.clone());
            }
            Step::Fail(state, message, hint) => {
                let error = Error::new(*state, *message);
                return Err(match hint.is_empty() {
                    true => error,
                    false => error.with_hint(*hint),
                });
            }
            Step::Diagnostics(is_stacked, items) => {
                for (target, item) in items {
                    let value = match is_stacked {
                        true => self.stacked(item)?,
                        false => Value::Int8(i64::try_from(self.row_count).unwrap_or(i64::MAX)),
                    };
                    self.set(target, &value)?;
                }
            }
        }
        Ok(Go::On)
    }

    /// Gives a variable its first value.
    async fn declare(&mut self, number: usize) -> Result<()> {
        let code = Arc::clone(&self.routine.code);
        let Some(variable) = code.variables.get(number) else {
            return Ok(());
        };
        let value = match variable.value {
            Some(piece) => self.value(piece).await?.0,
            None => Value::Null,
        };
        self.set(&(None, variable.name.clone()), &value)
    }

    async fn assign_value(&mut self, target: &Target, piece: usize) -> Result<()> {
        let (value, ty) = self.value(piece).await?;
        if !target.1.starts_with("case ") {
            return self.set(target, &value);
        }
        let code = Arc::clone(&self.routine.code);
        let place = self.frame.place(target, &code, self.scope);
        self.frame
            .put_any(place.or_broken("value of CASE")?, ty, value);
        Ok(())
    }

    async fn return_next(&mut self, piece: Option<usize>) -> Result<()> {
        let row = match piece {
            Some(piece) => match self.value(piece).await?.0 {
                Value::Row(_, stored) => {
                    let row = RowValue::read(&stored)?;
                    row.fields.into_iter().map(|(_, value)| value).collect()
                }
                value => vec![value],
            },
            None => self.frame.of_columns(),
        };
        let row = self.caller.as_columns(row, self.frame)?;
        self.frame.rows.push(row);
        Ok(())
    }

    async fn return_query(&mut self, source: &Source) -> Result<()> {
        let result = self.rows(source).await?;
        self.check_columns(&columns_of(&result))?;
        self.count(result.row_count() as u64)?;
        for row in result.rows() {
            let row = self.caller.as_columns(row, self.frame)?;
            self.frame.rows.push(row);
        }
        Ok(())
    }

    async fn returned(&mut self, returned: &Returned) -> Result<Outcome> {
        Ok(match returned {
            Returned::Nothing => Outcome::Nothing,
            Returned::Unchanged => Outcome::Unchanged,
            Returned::Record(name) => Outcome::Record(name.clone()),
            Returned::Value(piece) => Outcome::Value(self.value(*piece).await?.0),
            Returned::Row(piece) => {
                let result = self.piece(*piece).await?;
                let names = result.fields.iter().map(|field| field.name.clone());
                if result.fields.is_empty() {
                    return Ok(Outcome::Unchanged);
                }
                for row in result.rows().into_iter().filter(|_| self.frame.is_set) {
                    let row = self.caller.as_columns(row, self.frame)?;
                    self.frame.rows.push(row);
                }
                let row = result.rows().into_iter().next();
                Outcome::Row(row.map(|row| names.zip(row).collect()))
            }
        })
    }

    /// Gives targets the columns of a row.
    pub(super) fn assign(
        &mut self,
        targets: &[Target],
        columns: &[(String, LogicalType)],
        row: &[Value],
    ) -> Result<()> {
        let code = Arc::clone(&self.routine.code);
        let names = (&*code, self.scope);
        if let [target] = targets
            && !columns.is_empty()
            && self.frame.is_record(target, names.0, names.1)
        {
            return self
                .frame
                .put_row(&target.1, names, columns, row, self.caller);
        }
        for (at, target) in targets.iter().enumerate() {
            let value = row.get(at).unwrap_or(&Value::Null);
            self.frame.set(target, names, value, self.caller)?;
        }
        Ok(())
    }

    pub(super) fn found(&mut self, is_found: bool) -> Result<()> {
        self.set(&(None, "found".to_owned()), &Value::Boolean(is_found))
    }

    fn count(&mut self, rows: u64) -> Result<()> {
        self.row_count = rows;
        self.found(rows > 0)
    }

    /// Takes the first row of a result into variables.
    fn take_result(&mut self, result: &Answer, sql: &SqlStep) -> Result<()> {
        if sql.must_take && !result.fields.is_empty() {
            if result.command == "CALL" {
                return Err(Error::unsupported(
                    "CALL of a procedure with OUT arguments in PL/pgSQL",
                ));
            }
            let message = "query has no destination for result data";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(match result.command {
                "SELECT" => error.with_hint(
                    "If you want to discard the results of a SELECT, use PERFORM instead.",
                ),
                _ => error,
            });
        }
        self.row_count = result.affected_rows.unwrap_or(result.row_count() as u64);
        // EXECUTE says nothing of what was found.
        if let Source::Piece(_) = sql.source {
            self.found(self.row_count > 0)?;
        }
        if sql.into.is_empty() {
            return Ok(());
        }
        let rows = result.rows();
        let wrong = |state, message: &str| Err(Error::new(state, message));
        let is_change = result.command != "SELECT";
        match rows.len() {
            0 if sql.strict => return wrong(SqlState::NO_DATA_FOUND, "query returned no rows"),
            2.. if sql.strict || is_change => {
                return wrong(SqlState::TOO_MANY_ROWS, "query returned more than one row");
            }
            _ => {}
        }
        let row = rows.into_iter().next().unwrap_or_default();
        self.assign(&sql.into, &columns_of(result), &row)
    }

    /// Refuses rows that are none of the function's.
    fn check_columns(&self, columns: &[(String, LogicalType)]) -> Result<()> {
        let expected = &self.frame.columns;
        let detail = if columns.len() != expected.len() {
            let (found, wanted) = (columns.len(), expected.len());
            format!(
                "Number of returned columns ({found}) does not match expected column count \
                 ({wanted})."
            )
        } else {
            let mut pairs = (1..).zip(columns.iter().zip(expected));
            let Some((at, ((_, found), (_, wanted)))) =
                pairs.find(|(_, ((_, found), (_, wanted)))| found != wanted)
            else {
                return Ok(());
            };
            format!("Returned type {found} does not match expected type {wanted} in column {at}.")
        };
        let message = "structure of query does not match function result type";
        Err(Error::new(SqlState::DATATYPE_MISMATCH, message).with_detail(detail))
    }

    /// The error that is being handled, which `what` asks for.
    fn handled(&self, what: &str) -> Result<&Error> {
        let caught = self.open.iter().rev().find_map(|open| match open {
            Open::Caught(error) => Some(error),
            _ => None,
        });
        caught.ok_or_else(|| {
            let message = format!("{what} cannot be used outside an exception handler");
            let state = SqlState::STACKED_DIAGNOSTICS_ACCESSED_WITHOUT_ACTIVE_HANDLER;
            Error::new(state, message)
        })
    }

    /// What GET STACKED DIAGNOSTICS tells.
    fn stacked(&self, item: &str) -> Result<Value> {
        let error = self.handled("GET STACKED DIAGNOSTICS")?;
        let fields = error.fields();
        let text = match item {
            "returned_sqlstate" => Some(error.state().code()),
            "message_text" => Some(error.message()),
            "pg_exception_detail" => fields.detail.as_deref(),
            "pg_exception_hint" => fields.hint.as_deref(),
            "pg_exception_context" => fields.context.as_deref(),
            "table_name" => fields.table.as_deref(),
            "column_name" => fields.column.as_deref(),
            "constraint_name" => fields.constraint.as_deref(),
            _ => fields.data_type.as_deref(),
        };
        Ok(Value::text(text.unwrap_or_default()))
    }
}

/// The names and types of the columns of a result.
pub(super) fn columns_of(result: &Answer) -> Vec<(String, LogicalType)> {
    let fields = result.fields.iter();
    fields.map(|field| (field.name.clone(), field.ty)).collect()
}

/// The error with the step where it arose.
fn placed(error: Error, function: &str, place: &Place) -> Error {
    match place.line {
        0 => error,
        line => {
            let what = place.what;
            error.in_context(format!("PL/pgSQL function {function} line {line} {what}"))
        }
    }
}
