//! Calls of functions before a statement runs, and for the rows of a part of its plan.

use std::cell::{Cell, RefCell};

use varve_dml::StatementTxn;
use varve_expr::{Expr, Parameters, evaluate, evaluate_constant};
use varve_plan::{Bound, PendingCalls, Plan, Statement};
use varve_routine::Routine;
use varve_types::meter::Cancel;
use varve_types::{Error, LogicalType, Result, Value};

use super::run::Run;

/// What the functions gave that a statement calls.
pub(crate) struct Called {
    /// The results of those that run before it, as its expressions count them.
    pub results: Vec<Value>,
    /// The statement with the rows of those that are called for rows; `None` without such.
    pub statement: Option<Statement>,
}

impl Run<'_> {
    /// Runs the functions that a statement calls.
    pub(crate) async fn with_results(
        &self,
        txn: &mut StatementTxn,
        bound: &Bound,
    ) -> Result<Called> {
        let given = self.parameters.given;
        let mut results = Vec::with_capacity(bound.calls.len());
        for call in &bound.calls {
            let called = &results;
            let parameters = Parameters { given, called };
            let context = self.host.context(parameters, self.locale);
            let args = call.args.iter();
            let args = args.map(|arg| evaluate_constant(arg, &context));
            let args = args.collect::<Result<Vec<Value>>>()?;
            let mut routine = Routine::new(call.function.code()?);
            let caller = self.caller();
            let called = caller.result(txn, &call.function, &mut routine, args);
            let value = called.await?.into_iter().flatten().next();
            results.push(value.unwrap_or(Value::Null));
        }
        if !bound.has_pending_calls {
            let statement = None;
            return Ok(Called { results, statement });
        }
        let run = Run {
            parameters: Parameters {
                given,
                called: &results,
            },
            building: Cell::default(),
            profile: RefCell::default(),
            notices: RefCell::default(),
            ..*self
        };
        let mut statement = bound.statement.clone();
        while let Some(pending_calls) = statement.take_pending_calls()? {
            let rows = run.called(txn, pending_calls).await?;
            statement.put_called(&rows);
        }
        self.notices.borrow_mut().append(&mut run.notices.take());
        let statement = Some(statement);
        Ok(Called { results, statement })
    }

    /// The rows of what was taken out of a plan.
    async fn called(&self, txn: &mut StatementTxn, pending_calls: PendingCalls) -> Result<Plan> {
        let PendingCalls {
            input,
            calls,
            ordinality,
        } = pending_calls;
        let mut types = input.types();
        let batches = self.rows_of(&txn.store, &input).await?;
        let mut routines = Vec::with_capacity(calls.len());
        for call in &calls {
            let Some(function) = &call.routine else {
                let what = "a function that is not one query beside others that give rows";
                return Err(Error::unsupported(what));
            };
            types.extend(&call.types);
            routines.push((function, Routine::new(function.code()?)));
        }
        types.extend(ordinality.then_some(LogicalType::Int8));
        let mut rows = Vec::new();
        for batch in &batches {
            let columns = batch.physical_columns();
            let context = self.eval();
            let mut args = Vec::with_capacity(calls.len());
            for call in &calls {
                let values = call.args.iter().map(|arg| evaluate(arg, batch, &context));
                args.push(values.collect::<Result<Vec<_>>>()?);
            }
            for row in 0..batch.rows() {
                self.cancel.check()?;
                let mut results = Vec::with_capacity(calls.len());
                for ((function, routine), args) in routines.iter_mut().zip(&args) {
                    let args = args.iter().map(|column| column.value(row)).collect();
                    let caller = self.caller();
                    let called = caller.result(txn, function, routine, args);
                    results.push(called.await?);
                }
                let count = match calls.is_empty() {
                    true => 1,
                    false => results.iter().map(Vec::len).max().unwrap_or(0),
                };
                for number in 0..count {
                    let own = columns.iter().map(|column| column.value(row));
                    let mut values: Vec<Value> = own.collect();
                    for (call, results) in calls.iter().zip(&results) {
                        match results.get(number) {
                            Some(result) => values.extend_from_slice(result),
                            None => values.extend(call.types.iter().map(|_| Value::Null)),
                        }
                    }
                    values.extend(ordinality.then(|| Value::count(number + 1)));
                    let values = values.into_iter().zip(&types);
                    rows.push(
                        values
                            .map(|(value, ty)| Expr::Literal { value, ty: *ty })
                            .collect(),
                    );
                }
            }
        }
        Ok(Plan::Values { rows, types })
    }
}
