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
