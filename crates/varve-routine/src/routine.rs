//! A function: its body, and what it returns.

use std::sync::Arc;

use varve_catalog::{Catalog, FunctionDef, Returns};
use varve_dml::StatementTxn;
use varve_expr::cast_value;
use varve_parser::plpgsql::Code;
use varve_plan::Bound;
use varve_types::{Error, Result, RowValue, SqlState, Value};

use crate::caller::Caller;
use crate::frame::Frame;

/// Most levels of functions that call each other: a browser gives 1 MiB of stack for everything.
pub(crate) const DEPTH_MAX: u32 = 8;

/// A body with its pieces as far as they are bound.
#[derive(Debug)]
pub struct Routine {
    pub(crate) code: Arc<Code>,
    /// By piece, with the layout of the variables that it was bound with.
    pub(crate) bound: Vec<Option<(u64, Arc<Bound>)>>,
    /// What the pieces were bound for.
    pub(crate) catalog: Option<Arc<Catalog>>,
}

/// What a body returned.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing: it came to its end.
    Ended,
    /// Nothing, by RETURN.
    Nothing,
    /// Nothing that would change a row.
    Unchanged,
    /// A record by its name.
    Record(String),
    /// The named columns of a row; `None` where the query gave none.
    Row(Option<Vec<(String, Value)>>),
    /// A value.
    Value(Value),
}

impl Routine {
    /// A body of which nothing is bound.
    pub fn new(code: Arc<Code>) -> Routine {
        let bound = vec![None; code.pieces.len()];
        Routine {
            code,
            bound,
            catalog: None,
        }
    }
}

impl Caller<'_> {
    /// The rows that a function gives.
    pub async fn result(
        &self,
        txn: &mut StatementTxn,
        function: &FunctionDef,
        routine: &mut Routine,
        args: Vec<Value>,
    ) -> Result<Vec<Vec<Value>>> {
        let columns = function.columns(self.catalog);
        if function.is_strict && args.iter().any(Value::is_null) {
            return Ok(match function.returns_set {
                true => Vec::new(),
                false => vec![vec![Value::Null; columns.len()]],
            });
        }
        let name = match function.object.0 {
            0 => function.name.clone(),
            _ => self.catalog.shown_function(function).into_string(),
        };
        let mut frame = Frame::of(name);
        frame.columns = columns;
        frame.is_set = function.returns_set;
        for (argument, value) in function.inputs().zip(args) {
            frame.add(&function.name, &argument.name, argument.ty, value);
        }
        let outputs = function.arguments.iter();
        for output in outputs.filter(|argument| !function.takes(argument)) {
            frame.add(&function.name, &output.name, output.ty, Value::Null);
        }
        frame.numbered = frame.variables.len();
        frame.declare(&routine.code, self.catalog)?;
        let outcome = self.call(txn, routine, &mut frame).await?;
        if function.returns_set {
            return Ok(frame.rows);
        }
        let has_outputs = function
            .arguments
            .iter()
            .any(|argument| argument.is_output());
        let value = match (outcome, function.returns) {
            // As PostgreSQL has it, by the language.
            (_, Returns::Void) if function.is_plpgsql => return Ok(vec![vec![Value::text("")]]),
            (_, Returns::Void) => return Ok(vec![vec![Value::Null]]),
            (Outcome::Value(value), _) => value,
            (Outcome::Row(row), _) => {
                let row = row.into_iter().flatten().map(|(_, value)| value).collect();
                return Ok(vec![self.as_columns(row, &frame)?]);
            }
            (Outcome::Ended | Outcome::Nothing, _) if has_outputs => {
                return Ok(vec![frame.of_columns()]);
            }
            _ => {
                let message = "control reached end of function without RETURN";
                let error = Error::new(SqlState::NO_RETURN_STATEMENT, message);
                return Err(error.with_context(format!("PL/pgSQL function {}", frame.name)));
            }
        };
        let row = match (value, frame.columns.len()) {
            (Value::Row(_, stored), _) if !matches!(function.returns, Returns::Value(_)) => {
                let row = RowValue::read(&stored)?;
                row.fields.into_iter().map(|(_, value)| value).collect()
            }
            (Value::Null, count) => vec![Value::Null; count],
            (value, _) => vec![value],
        };
        let row = self.as_columns(row, &frame).map_err(|error| {
            let place = "while casting return value to function's return type";
            error.with_context(format!("PL/pgSQL function {} {place}", frame.name))
        })?;
        Ok(vec![row])
    }

    /// A row in the types of the columns of a result.
    pub(crate) fn as_columns(&self, row: Vec<Value>, frame: &Frame) -> Result<Vec<Value>> {
        let columns = frame.columns.iter().map(|(_, ty)| *ty);
        let values = row.into_iter().chain(core::iter::repeat(Value::Null));
        let values = columns
            .zip(values)
            .map(|(ty, value)| match value.logical_type() {
                Some(from) if from != ty => cast_value(&value, ty, true, self.locale),
                _ => Ok(value),
            });
        values.collect()
    }
}
