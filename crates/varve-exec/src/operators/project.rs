//! Project: one output column an expression.

use varve_expr::{Expr, evaluate};
use varve_types::{Batch, LocalFuture, Result};

use crate::BatchStream;
use crate::context::Running;

/// Evaluates its expressions over each batch.
pub(crate) struct ProjectStream<'a> {
    pub(crate) running: Running<'a>,
    pub(crate) input: Box<dyn BatchStream + 'a>,
    pub(crate) exprs: &'a [Expr],
}

impl BatchStream for ProjectStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            let Some(batch) = self.input.next().await? else {
                return Ok(None);
            };
            // Several expressions may read one column: its rows are chosen once.
            let batch = batch.compact();
            let eval = self.running.eval();
            let columns = self.exprs.iter().map(|expr| evaluate(expr, &batch, &eval));
            let columns = columns.collect::<Result<_>>()?;
            Ok(Some(Batch::new(columns, batch.rows())))
        })
    }
}

#[cfg(test)]
mod tests {
    use varve_plan::Plan;
    use varve_types::{CompareOp, LogicalType, Value};

    use crate::testing::{Setting, column, compare, literal, show_batches, table};

    #[test]
    fn one_column_an_expression() {
        let setting = Setting::with(table("it", "1 a; 2 b; 3 c | 0 d; - e"));
        let number = || column(0, LogicalType::Int4);
        let filtered = Plan::Filter {
            input: Box::new(setting.scan(0, "it")),
            predicate: compare(number(), CompareOp::NotEq, literal(Value::Int4(2))),
        };
        let plan = Plan::Project {
            input: Box::new(filtered),
            exprs: vec![
                column(1, LogicalType::Text),
                compare(number(), CompareOp::Gt, literal(Value::Int4(1))),
                number(),
            ],
        };
        let answer = setting.run(&plan).unwrap();
        assert_eq!(show_batches(&answer), "a f 1; c t 3 | d f 0");
    }
}
