//! Calls of functions for the rows of a part of a plan.

use varve_expr::{Expr, evaluate};
use varve_sql::{Plan, Uncalled};
use varve_types::meter::Cancel;
use varve_types::{Error, LogicalType, Result, Value};

use super::Routine;
use crate::session::run::Run;
use varve_dml::StatementTxn;

impl Run<'_> {
    /// The rows of what was taken out of a plan.
    pub(super) async fn called(&self, txn: &mut StatementTxn, uncalled: Uncalled) -> Result<Plan> {
        let Uncalled {
            input,
            calls,
            ordinality,
        } = uncalled;
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
                    let called = self.result(txn, function, routine, args);
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
                    let number = i64::try_from(number + 1).unwrap_or(i64::MAX);
                    values.extend(ordinality.then_some(Value::Int8(number)));
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
