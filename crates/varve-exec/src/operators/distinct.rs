//! Distinct: each different row once, given as soon as it appears.

use varve_expr::{Expr, evaluate};
use varve_types::{Batch, LocalFuture, Reservation, Result, Selection};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::keys::KeyIndex;

/// Lets a row pass when its values were not seen before.
pub(crate) struct DistinctStream<'a> {
    running: Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    exprs: &'a [Expr],
    seen: KeyIndex,
    booked: Reservation,
}

impl<'a> DistinctStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        exprs: &'a [Expr],
    ) -> DistinctStream<'a> {
        let types: Vec<_> = exprs.iter().map(Expr::logical_type).collect();
        DistinctStream {
            booked: running.reservation(),
            running,
            input,
            exprs,
            seen: KeyIndex::new(&types),
        }
    }
}

impl BatchStream for DistinctStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
            while let Some(batch) = self.input.next().await? {
                let batch = batch.compact();
                let eval = self.running.eval();
                let columns = self.exprs.iter().map(|expr| evaluate(expr, &batch, &eval));
                let columns = columns.collect::<Result<Vec<_>>>()?;
                self.seen
                    .insert(&columns, batch.rows(), &mut ids, &mut new_rows);
                book(&mut self.booked, self.seen.memory_bytes())?;
                if !new_rows.is_empty() {
                    let rows = Batch::new(columns, batch.rows());
                    return Ok(Some(rows.select(&Selection::new(new_rows))));
                }
            }
            Ok(None)
        })
    }
}
