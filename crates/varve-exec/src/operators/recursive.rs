//! Recursive: the rows of a first query, then those of a second one over the rows of the round
//! before, until a round gives none.

use std::rc::Rc;

use varve_plan::RecursiveNode;
use varve_types::{Batch, LocalFuture, Reservation, Result, Selection};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::keys::KeyIndex;
use crate::repeated::Repeated;
use crate::shared_rows::SharedRows;

/// Gives rows as they are made, so that a LIMIT above ends an endless recursion.
pub(crate) struct RecursiveStream<'a> {
    running: Running<'a>,
    step: Repeated<'a>,
    node: &'a RecursiveNode,
    round: Option<Box<dyn BatchStream + 'a>>,
    /// The rows of this round, which the next one reads.
    made: Rc<SharedRows<'a>>,
    /// For UNION without ALL.
    seen: Option<KeyIndex>,
    booked: Reservation,
}

impl<'a> RecursiveStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        base: Box<dyn BatchStream + 'a>,
        step: Repeated<'a>,
        node: &'a RecursiveNode,
    ) -> RecursiveStream<'a> {
        RecursiveStream {
            booked: running.reservation(),
            step,
            made: Rc::new(SharedRows::new(running.clone(), node.types.clone(), None)),
            running,
            node,
            round: Some(base),
            seen: node.distinct.then(|| KeyIndex::new(&node.types)),
        }
    }

    /// The rows of a batch that were not given before.
    fn unseen(&mut self, batch: Batch) -> Result<Batch> {
        let Some(seen) = &mut self.seen else {
            return Ok(batch);
        };
        let batch = batch.compact();
        let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
        seen.insert(
            batch.physical_columns(),
            batch.rows(),
            &mut ids,
            &mut new_rows,
        );
        book(&mut self.booked, seen.memory_bytes())?;
        Ok(batch.select(&Selection::new(new_rows)))
    }

    async fn next_batch(&mut self) -> Result<Option<Batch>> {
        while let Some(round) = &mut self.round {
            self.running.checkpoint().await?;
            if let Some(batch) = round.next().await? {
                let batch = self.unseen(batch)?;
                if !batch.is_empty() {
                    self.made.push(batch.clone()).await?;
                    return Ok(Some(batch));
                }
                continue;
            }
            self.round = None;
            if self.made.is_empty() {
                break;
            }
            let empty = SharedRows::new(self.running.clone(), self.node.types.clone(), None);
            let made = core::mem::replace(&mut self.made, Rc::new(empty));
            let running = self.running.with_named(self.node.id, made);
            self.round = Some((self.step)(running)?);
        }
        Ok(None)
    }
}

impl BatchStream for RecursiveStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(self.next_batch())
    }
}
