//! Values: constant rows.

use std::sync::Arc;

use varve_expr::{Expr, evaluate_constant};
use varve_types::{Batch, ColumnBuilder, LocalFuture, LogicalType, Result, VECTOR_ROWS};

use crate::BatchStream;
use crate::context::Running;

/// Evaluates rows of expressions, a batch at a time.
pub(crate) struct ValuesStream<'a> {
    pub(crate) running: Running<'a>,
    pub(crate) rows: &'a [Vec<Expr>],
    pub(crate) types: &'a [LogicalType],
}

impl ValuesStream<'_> {
    fn evaluate(&self, rows: &[Vec<Expr>]) -> Result<Batch> {
        let builder = |ty: &LogicalType| ColumnBuilder::with_capacity(*ty, rows.len());
        let mut builders: Vec<ColumnBuilder> = self.types.iter().map(builder).collect();
        for row in rows {
            for (builder, expr) in builders.iter_mut().zip(row) {
                builder.push(&evaluate_constant(expr, &self.running.eval())?);
            }
        }
        let columns = builders
            .into_iter()
            .map(|builder| Arc::new(builder.finish()));
        Ok(Batch::new(columns.collect(), rows.len()))
    }
}

impl BatchStream for ValuesStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            self.running.checkpoint().await?;
            let (now, later) = self.rows.split_at(self.rows.len().min(VECTOR_ROWS));
            if now.is_empty() {
                return Ok(None);
            }
            let batch = self.evaluate(now)?;
            self.rows = later;
            Ok(Some(batch))
        })
    }
}

/// Rows that are known already.
pub(crate) struct RowsStream {
    pub(crate) batch: Option<Batch>,
}

impl BatchStream for RowsStream {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move { Ok(self.batch.take()) })
    }
}

#[cfg(test)]
mod tests {
    use varve_expr::Expr;
    use varve_plan::Plan;
    use varve_types::{LogicalType, Value};

    use crate::testing::{Setting, literal, show};

    #[test]
    fn rows_come_in_batches() {
        let setting = Setting::new();
        let rows: Vec<Vec<Expr>> = (0..2500).map(|i| vec![literal(Value::Int4(i))]).collect();
        let types = vec![LogicalType::Int4];
        let answer = setting.run(&Plan::Values { rows, types }).unwrap();
        let lengths: Vec<usize> = answer.iter().map(|batch| batch.rows()).collect();
        assert_eq!(lengths, [1024, 1024, 452]);
        assert_eq!(answer[2].column(0).unwrap().value(451), Value::Int4(2499));
    }

    #[test]
    fn few_rows() {
        let null = Expr::Literal {
            value: Value::Null,
            ty: LogicalType::Text,
        };
        let cases = [
            (vec![], vec![], 0, ""),
            (vec![vec![]], vec![], 1, ""),
            (
                vec![
                    vec![literal(Value::Int4(1)), literal(Value::text("a"))],
                    vec![literal(Value::Int4(2)), null],
                ],
                vec![LogicalType::Int4, LogicalType::Text],
                2,
                "1 a; 2 -",
            ),
        ];
        for (rows, types, count, expected) in cases {
            let setting = Setting::new();
            let answer = setting.run(&Plan::Values { rows, types }).unwrap();
            assert_eq!(
                answer.iter().map(|batch| batch.rows()).sum::<usize>(),
                count
            );
            assert_eq!(show(&answer), expected);
        }
    }
}
