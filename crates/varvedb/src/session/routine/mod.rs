//! Runs the bodies of functions, step by step.
//!
//! A variable is a parameter of the pieces of SQL in the body: each piece is bound once for all
//! rows that a statement calls the function for, and run with the values of the moment.
//!
//! Invariant: functions that statements of functions call nest at most [`DEPTH_MAX`] deep.

use core::future::Future;
use core::pin::Pin;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

use varve_exec::Cancel;
use varve_expr::{Names, cast_value, evaluate_constant, format_value};
use varve_sql::{
    Bound, Code, FIRST_CALL, FunctionDef, Raise, Returned, Returns, RoutineCall, RoutineVariable,
    Statement, Step, Target, bind_piece,
};
use varve_store::Transaction;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use super::run::Run;
use crate::deferred::Deferred;
use crate::{Notice, ResultSet};

/// Most levels of functions that call each other: a browser gives 1 MiB of stack for everything.
const DEPTH_MAX: u32 = 8;

/// The variables of a body and their values.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub variables: Vec<RoutineVariable>,
    pub values: Vec<Value>,
}

/// A body with its pieces as far as they are bound.
#[derive(Debug)]
pub(crate) struct Routine {
    code: Arc<Code>,
    bound: Vec<Option<Arc<Bound>>>,
}

/// What a body returned.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing: it came to its end.
    Ended,
    /// Nothing that would change a row.
    Unchanged,
    /// A record by its name.
    Record(String),
    /// The named columns of a row; `None` where the query gave none.
    Row(Option<Vec<(String, Value)>>),
    /// A value.
    Value(Value),
}

impl Frame {
    /// Adds a variable.
    pub fn add(&mut self, qualifier: &str, name: &str, ty: LogicalType, value: Value) {
        self.variables.push(RoutineVariable {
            qualifier: qualifier.to_owned(),
            name: name.to_owned(),
            ty,
        });
        self.values.push(value);
    }

    /// The place of a variable; the last one of a name counts.
    fn place(&self, qualifier: &str, name: &str) -> Option<usize> {
        let mut known = self.variables.iter();
        known.rposition(|known| known.qualifier == qualifier && known.name == name)
    }

    fn set(&mut self, target: &Target, value: &Value, run: &Run<'_>) -> Result<()> {
        let (qualifier, name) = target;
        let Some(at) = self.place(qualifier.as_deref().unwrap_or_default(), name) else {
            let error = match qualifier {
                Some(record)
                    if self
                        .variables
                        .iter()
                        .any(|known| known.qualifier == *record) =>
                {
                    let message = format!("record \"{record}\" has no field \"{name}\"");
                    Error::new(SqlState::UNDEFINED_COLUMN, message)
                }
                _ => {
                    let message = format!("\"{name}\" is not a known variable");
                    Error::new(SqlState::SYNTAX_ERROR, message)
                }
            };
            return Err(error);
        };
        let ty = self.variables.get(at).map(|known| known.ty);
        let value = match ty {
            Some(ty) if value.logical_type() != Some(ty) => {
                cast_value(value, ty, true, run.locale)?
            }
            _ => value.clone(),
        };
        if let Some(known) = self.values.get_mut(at) {
            *known = value;
        }
        Ok(())
    }
}

impl Routine {
    pub fn new(code: Arc<Code>) -> Routine {
        let bound = vec![None; code.pieces.len()];
        Routine { code, bound }
    }

    /// Adds the variables of DECLARE to a frame, without values.
    pub fn declare(&self, frame: &mut Frame, run: &Run<'_>) -> Result<()> {
        frame.add("", "found", LogicalType::Boolean, Value::Boolean(false));
        for variable in &self.code.variables {
            let (ty, _) = run.catalog.type_named(&variable.type_text)?;
            frame.add("", &variable.name, ty, Value::Null);
        }
        Ok(())
    }
}

impl Run<'_> {
    /// Runs a body with these variables.
    pub(crate) async fn call(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        routine: &mut Routine,
        frame: &mut Frame,
    ) -> Result<Outcome> {
        if self.depth >= DEPTH_MAX {
            let message = "stack depth limit exceeded";
            let hint = format!("Functions and triggers call each other at most {DEPTH_MAX} deep.");
            return Err(Error::new(SqlState::STATEMENT_TOO_COMPLEX, message).with_hint(hint));
        }
        let code = Arc::clone(&routine.code);
        for variable in &code.variables {
            let value = match variable.value {
                Some(piece) => {
                    self.value(transaction, deferred, routine, frame, piece)
                        .await?
                }
                None => Value::Null,
            };
            frame.set(&(None, variable.name.clone()), &value, self)?;
        }
        let mut at = 0;
        while let Some(step) = code.steps.get(at) {
            self.cancel.check()?;
            at += 1;
            match step {
                Step::Assign(target, piece) => {
                    let value = self
                        .value(transaction, deferred, routine, frame, *piece)
                        .await?;
                    frame.set(target, &value, self)?;
                }
                Step::JumpUnless(piece, to) => {
                    let value = self
                        .value(transaction, deferred, routine, frame, *piece)
                        .await?;
                    if value != Value::Boolean(true) {
                        at = *to;
                    }
                }
                Step::Jump(to) => at = *to,
                Step::Sql {
                    piece,
                    into,
                    strict,
                } => {
                    let result = self
                        .piece(transaction, deferred, routine, frame, *piece)
                        .await?;
                    take_result(&result, into, *strict, frame, self)?;
                }
                Step::Raise(raise) => {
                    self.raise(transaction, deferred, routine, frame, raise)
                        .await?;
                }
                Step::Return(returned) => {
                    return Ok(match returned {
                        Returned::Nothing => Outcome::Ended,
                        Returned::Unchanged => Outcome::Unchanged,
                        Returned::Record(name) => Outcome::Record(name.clone()),
                        Returned::Value(piece) => Outcome::Value(
                            self.value(transaction, deferred, routine, frame, *piece)
                                .await?,
                        ),
                        Returned::Row(piece) => {
                            let result = self
                                .piece(transaction, deferred, routine, frame, *piece)
                                .await?;
                            let names = result.fields.iter().map(|field| field.name.clone());
                            if result.fields.is_empty() {
                                return Ok(Outcome::Unchanged);
                            }
                            let row = result.rows().into_iter().next();
                            Outcome::Row(row.map(|row| names.zip(row).collect()))
                        }
                    });
                }
            }
        }
        Ok(Outcome::Ended)
    }

    /// The parameters with the results of the functions that run before a statement.
    pub(crate) async fn with_results(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        calls: &[RoutineCall],
    ) -> Result<Vec<Value>> {
        let mut parameters = self.parameters.to_vec();
        parameters.resize(FIRST_CALL, Value::Null);
        for call in calls {
            let context = self.host.context(&parameters, self.locale);
            let args = call.args.iter();
            let args = args.map(|arg| evaluate_constant(arg, &context));
            let args = args.collect::<Result<Vec<Value>>>()?;
            let is_null = call.function.is_strict && args.iter().any(Value::is_null);
            let result = match is_null {
                true => Value::Null,
                false => {
                    self.result(transaction, deferred, &call.function, args)
                        .await?
                }
            };
            parameters.push(result);
        }
        Ok(parameters)
    }

    /// Calls a function.
    async fn result(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        function: &FunctionDef,
        args: Vec<Value>,
    ) -> Result<Value> {
        let mut frame = Frame::default();
        for (argument, value) in function.inputs().zip(args) {
            frame.add("", &argument.name, argument.ty, value);
        }
        let mut outputs = function.arguments.iter();
        let output = outputs.find(|argument| argument.is_output());
        if let Some(output) = output.filter(|output| !output.is_input()) {
            frame.add("", &output.name, output.ty, Value::Null);
        }
        let mut routine = Routine::new(function.code()?);
        routine.declare(&mut frame, self)?;
        let outcome = self
            .call(transaction, deferred, &mut routine, &mut frame)
            .await?;
        let value = match (outcome, function.returns) {
            // As PostgreSQL has it, by the language.
            (_, Returns::Void) if function.is_plpgsql => return Ok(Value::text("")),
            (_, Returns::Void) => return Ok(Value::Null),
            (Outcome::Value(value), _) => value,
            (Outcome::Row(row), _) => {
                let first = row.and_then(|row| row.into_iter().next());
                first.map_or(Value::Null, |(_, value)| value)
            }
            (Outcome::Ended, _) if output.is_some() => {
                let name = output.map_or("", |output| output.name.as_str());
                let at = frame.place("", name);
                let value = at.and_then(|at| frame.values.get(at)).cloned();
                value.unwrap_or(Value::Null)
            }
            _ => {
                let message = "control reached end of function without RETURN";
                return Err(Error::new(SqlState::NO_RETURN_STATEMENT, message));
            }
        };
        match function.returns {
            Returns::Value(ty) if value.logical_type() != Some(ty) => {
                cast_value(&value, ty, true, self.locale)
            }
            _ => Ok(value),
        }
    }

    /// Runs a piece of a body.
    async fn piece(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        routine: &mut Routine,
        frame: &Frame,
        piece: usize,
    ) -> Result<ResultSet> {
        let Routine { code, bound } = routine;
        let (Some(statement), Some(known)) = (code.pieces.get(piece), bound.get_mut(piece)) else {
            return Err(Error::internal("a step without its piece"));
        };
        let bound = match known {
            Some(bound) => Arc::clone(bound),
            None => {
                let bound = bind_piece(statement, self.catalog, &frame.variables, self.locale)?;
                Arc::clone(known.insert(Arc::new(bound)))
            }
        };
        match bound.statement {
            Statement::Query(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Merge(_)
            | Statement::Changes(_) => {}
            _ => return Err(Error::unsupported("this statement in a function")),
        }
        let inner = Run {
            parameters: &frame.values,
            depth: self.depth + 1,
            before: None,
            building: Cell::default(),
            profile: RefCell::default(),
            notices: RefCell::default(),
            ..*self
        };
        let results = match bound.calls.is_empty() {
            true => None,
            false => {
                let running: Pin<Box<dyn Future<Output = Result<Vec<Value>>> + '_>> =
                    Box::pin(inner.with_results(transaction, deferred, &bound.calls));
                Some(running.await?)
            }
        };
        let run = Run {
            parameters: results.as_deref().unwrap_or(&frame.values),
            depth: self.depth + 1,
            before: None,
            building: Cell::default(),
            profile: RefCell::default(),
            notices: RefCell::default(),
            ..*self
        };
        let running: Pin<Box<dyn Future<Output = Result<ResultSet>> + '_>> =
            Box::pin(run.statement(transaction, deferred, &bound.statement));
        let mut result = running.await?;
        self.notices.borrow_mut().append(&mut inner.notices.take());
        self.notices.borrow_mut().append(&mut run.notices.take());
        if result.fields.is_empty() {
            result.fields = bound.statement.fields().into();
        }
        Ok(result)
    }

    /// The value of a piece that is a query.
    async fn value(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        routine: &mut Routine,
        frame: &Frame,
        piece: usize,
    ) -> Result<Value> {
        let result = self
            .piece(transaction, deferred, routine, frame, piece)
            .await?;
        let mut rows = result.rows();
        if rows.len() > 1 {
            let message = "query returned more than one row";
            return Err(Error::new(SqlState::CARDINALITY_VIOLATION, message));
        }
        let row = rows.pop().unwrap_or_default();
        if row.len() > 1 {
            let message = format!("query returned {} columns", row.len());
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
        Ok(row.into_iter().next().unwrap_or(Value::Null))
    }

    /// `RAISE`
    async fn raise(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        routine: &mut Routine,
        frame: &Frame,
        raise: &Raise,
    ) -> Result<()> {
        let mut message = String::new();
        let mut values = raise.values.iter();
        let mut rest = raise.format.as_str();
        while let Some((before, behind)) = rest.split_once('%') {
            message.push_str(before);
            rest = match behind.strip_prefix('%') {
                Some(behind) => {
                    message.push('%');
                    behind
                }
                None => {
                    if let Some(piece) = values.next() {
                        let value = self.value(transaction, deferred, routine, frame, *piece);
                        message.push_str(&self.shown(&value.await?));
                    }
                    behind
                }
            };
        }
        message.push_str(rest);
        let mut state = match &raise.condition {
            Some(condition) => state_named(condition)?,
            None => SqlState::RAISE_EXCEPTION,
        };
        if let Some(condition) = &raise.condition {
            message.clone_from(condition);
        }
        let (mut detail, mut hint) = (None, None);
        for (name, piece) in &raise.options {
            let value = self
                .value(transaction, deferred, routine, frame, *piece)
                .await?;
            let text = self.shown(&value);
            match name.as_str() {
                "message" => message = text,
                "detail" => detail = Some(text),
                "hint" => hint = Some(text),
                "errcode" => state = state_named(&text)?,
                // They name what the error is about.
                "column" | "constraint" | "datatype" | "table" | "schema" => {}
                other => {
                    let message = format!("unrecognized RAISE statement option \"{other}\"");
                    return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                }
            }
        }
        let severities = ["DEBUG", "LOG", "INFO", "NOTICE", "WARNING"];
        let severity = severities.into_iter().find(|known| *known == raise.level);
        let Some(severity) = severity else {
            let mut error = Error::new(state, message);
            if let Some(detail) = detail {
                error = error.with_detail(detail);
            }
            if let Some(hint) = hint {
                error = error.with_hint(hint);
            }
            return Err(error);
        };
        self.notices.borrow_mut().push(Notice {
            severity,
            state: SqlState::SUCCESSFUL_COMPLETION,
            message,
            detail,
            hint,
        });
        Ok(())
    }

    fn shown(&self, value: &Value) -> String {
        match value {
            Value::Null => "<NULL>".to_owned(),
            value => format_value(value, self.locale),
        }
    }
}

/// Takes the first row of a result into variables, and says in FOUND whether there was one.
fn take_result(
    result: &ResultSet,
    into: &[Target],
    strict: bool,
    frame: &mut Frame,
    run: &Run<'_>,
) -> Result<()> {
    let count = result.affected_rows.unwrap_or(result.row_count() as u64);
    let found = (None, "found".to_owned());
    frame.set(&found, &Value::Boolean(count > 0), run)?;
    if into.is_empty() {
        return Ok(());
    }
    let rows = result.rows();
    let wrong = |state, message: &str| Err(Error::new(state, message));
    match rows.len() {
        0 if strict => return wrong(SqlState::NO_DATA_FOUND, "query returned no rows"),
        2.. if strict => {
            return wrong(SqlState::TOO_MANY_ROWS, "query returned more than one row");
        }
        _ => {}
    }
    let row = rows.into_iter().next().unwrap_or_default();
    for (at, target) in into.iter().enumerate() {
        frame.set(target, row.get(at).unwrap_or(&Value::Null), run)?;
    }
    Ok(())
}

/// The SQLSTATE of a code or the name of a condition.
fn state_named(name: &str) -> Result<SqlState> {
    let mut known = SqlState::ALL.iter();
    let found = known.find(|state| state.code() == name || state.condition() == name);
    found.copied().ok_or_else(|| {
        let message = format!("unrecognized exception condition \"{name}\"");
        Error::new(SqlState::UNDEFINED_OBJECT, message)
    })
}
