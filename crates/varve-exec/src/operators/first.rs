//! First: of the rows with the same keys the one that comes first.

use varve_expr::{Expr, evaluate};
use varve_types::{Batch, LocalFuture, Reservation, Result, Selection};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::keys::KeyIndex;

/// Lets a row pass when its keys were not seen before.
pub(crate) struct FirstStream<'a> {
    running: Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    keys: &'a [Expr],
    seen: KeyIndex,
    booked: Reservation,
}

impl<'a> FirstStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        keys: &'a [Expr],
    ) -> FirstStream<'a> {
        let types: Vec<_> = keys.iter().map(Expr::logical_type).collect();
        FirstStream {
            booked: running.reservation(),
            running,
            input,
            keys,
            seen: KeyIndex::new(&types),
        }
    }
}

impl BatchStream for FirstStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
            while let Some(batch) = self.input.next().await? {
                let batch = batch.compact();
                let eval = self.running.eval();
                let keys = self.keys.iter().map(|key| evaluate(key, &batch, &eval));
                let keys = keys.collect::<Result<Vec<_>>>()?;
                self.seen
                    .insert(&keys, batch.rows(), &mut ids, &mut new_rows);
                book(&mut self.booked, self.seen.memory_bytes())?;
                if !new_rows.is_empty() {
                    return Ok(Some(batch.select(&Selection::new(new_rows))));
                }
            }
            Ok(None)
        })
    }
}
