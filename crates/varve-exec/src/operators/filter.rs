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
