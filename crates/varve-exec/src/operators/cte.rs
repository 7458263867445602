//! CTE scan: the rows of a named query, made for the first reader that gets there.

use std::rc::Rc;

use varve_types::{Batch, LocalFuture, Result};

use crate::BatchStream;
use crate::shared_rows::SharedRows;

/// Reads shared rows from the start.
pub(crate) struct CteStream<'a> {
    pub(crate) rows: Rc<SharedRows<'a>>,
    pub(crate) next_batch: usize,
}

impl BatchStream for CteStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            let batch = self.rows.batch(self.next_batch).await?;
            self.next_batch += 1;
            Ok(batch)
        })
    }
}
