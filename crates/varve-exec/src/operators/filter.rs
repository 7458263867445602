//! Filter: the rows for which a condition is true.

use varve_expr::{Expr, evaluate_filter};
use varve_types::{Batch, LocalFuture, Result};

use crate::BatchStream;
use crate::context::Running;

/// Narrows the selection of its input's batches.
pub(crate) struct FilterStream<'a> {
    pub(crate) running: Running<'a>,
    pub(crate) input: Box<dyn BatchStream + 'a>,
    pub(crate) predicate: &'a Expr,
}

impl BatchStream for FilterStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            while let Some(batch) = self.input.next().await? {
                let keep = evaluate_filter(self.predicate, &batch, &self.running.eval())?;
                if keep.len() == batch.rows() {
                    return Ok(Some(batch));
                }
                if !keep.is_empty() {
                    return Ok(Some(batch.select(&keep)));
                }
            }
            Ok(None)
        })
    }
}

#[cfg(test)]
mod tests {
    use varve_plan::Plan;
    use varve_types::{CompareOp, LogicalType, Value};

    use crate::testing::{Setting, column, compare, literal, show_batches, table};

    #[test]
    fn keeps_what_is_true() {
        let cases = [
            ("1; 5; - | 6 | 2; -", "5 | 6"),
            ("7; 8 | 9", "7; 8 | 9"),
            ("1 | 2; -", ""),
            ("", ""),
        ];
        for (input, expected) in cases {
            let setting = Setting::with(table("i", input));
            let plan = Plan::Filter {
                input: Box::new(setting.scan(0, "i")),
                predicate: compare(
                    column(0, LogicalType::Int4),
                    CompareOp::Gt,
                    literal(Value::Int4(2)),
                ),
            };
            // Twice, so that a selection is narrowed too.
            let plan = Plan::Filter {
                input: Box::new(plan),
                predicate: compare(
                    column(0, LogicalType::Int4),
                    CompareOp::Gt,
                    literal(Value::Int4(4)),
                ),
            };
            assert_eq!(show_batches(&setting.run(&plan).unwrap()), expected);
        }
    }
}
