//! Lock: rows, locked on the way.

use varve_expr::evaluate;
use varve_plan::{LockNode, LockTarget, LockWait};
use varve_types::{
    Batch, ColumnData, Error, LocalFuture, Result, RowPosition, Selection, SqlState,
};

use crate::BatchStream;
use crate::context::Running;

/// Locks no more rows than are wanted.
pub(crate) struct LockStream<'a> {
    running: Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    node: &'a LockNode,
    left: usize,
}

impl<'a> LockStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        node: &'a LockNode,
        rows_wanted: Option<u64>,
    ) -> LockStream<'a> {
        let left = rows_wanted.and_then(|rows| usize::try_from(rows).ok());
        LockStream {
            running,
            input,
            node,
            left: left.unwrap_or(usize::MAX),
        }
    }

    /// The rows of a batch that are locked now.
    async fn locked(&mut self, batch: &Batch) -> Result<Batch> {
        let mut columns = Vec::with_capacity(self.node.places.len());
        for place in &self.node.places {
            let column = evaluate(place, batch, &self.running.eval())?.flatten();
            match column.data() {
                ColumnData::Int64(values) => columns.push(values.to_vec()),
                _ => return Err(Error::internal("rows to be locked have no positions")),
            }
        }
        let mut kept: Vec<u32> = Vec::new();
        let mut rows: Vec<usize> = (0..batch.rows()).collect();
        while self.left > 0 && !rows.is_empty() {
            let (mut tried, mut locked) = (rows.len(), Vec::new());
            let mut columns = columns.as_slice();
            for (number, target) in self.node.targets.iter().enumerate() {
                let Some((places, rest)) = columns.split_at_checked(places_of(target)) else {
                    break;
                };
                columns = rest;
                if number == 0 {
                    (tried, locked) = self.lock_rows(target, places, &rows, self.left).await?;
                } else {
                    locked = self.lock_rows(target, places, &locked, usize::MAX).await?.1;
                }
            }
            self.left -= locked.len();
            kept.extend(locked.iter().filter_map(|row| u32::try_from(*row).ok()));
            rows.drain(..tried);
        }
        Ok(batch.select(&Selection::new(kept)))
    }

    /// Locks the first `most` of some rows of a batch: how many were looked at, and those that are
    /// locked.
    async fn lock_rows(
        &self,
        target: &LockTarget,
        places: &[Vec<i64>],
        rows: &[usize],
        most: usize,
    ) -> Result<(usize, Vec<usize>)> {
        let number = |row: &usize| match places.get(1) {
            Some(numbers) => numbers.get(*row).copied(),
            None => Some(0),
        };
        let source = self.running.context.source;
        let mut locked = Vec::new();
        let mut tried = 0;
        // Rows of one tree that follow each other are locked together.
        for chunk in rows.chunk_by(|one, other| number(one) == number(other)) {
            let left = most - locked.len();
            if left == 0 {
                break;
            }
            let tree = chunk.first().and_then(number);
            let tree = tree.and_then(|number| usize::try_from(number).ok());
            let tree = tree.and_then(|number| target.trees.get(number));
            let tree = tree.ok_or_else(|| Error::internal("a row of no tree is locked"))?;
            let positions = places.first().into_iter().flat_map(|positions| {
                let positions = chunk.iter().filter_map(|row| positions.get(*row));
                positions.map(|position| RowPosition(position.cast_unsigned()))
            });
            let positions: Vec<RowPosition> = positions.collect();
            let free = source
                .lock_rows(*tree, &positions, target.lock, left)
                .await?;
            for (row, is_locked) in chunk.iter().zip(free) {
                if locked.len() == most {
                    break;
                }
                tried += 1;
                match is_locked {
                    true => locked.push(*row),
                    false if target.lock.wait == LockWait::Fail => return Err(not_free(target)),
                    false => {}
                }
            }
        }
        Ok((tried, locked))
    }
}

/// How many columns say where the rows of a table are.
fn places_of(target: &LockTarget) -> usize {
    1 + usize::from(target.trees.len() > 1)
}

/// `55P03`
fn not_free(target: &LockTarget) -> Error {
    let message = format!(
        "could not obtain lock on row in relation \"{}\"",
        target.name
    );
    Error::new(SqlState::LOCK_NOT_AVAILABLE, message)
}

impl BatchStream for LockStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            while self.left > 0 {
                let Some(batch) = self.input.next().await? else {
                    break;
                };
                self.running.checkpoint().await?;
                let locked = self.locked(&batch.compact()).await?;
                if !locked.is_empty() {
                    return Ok(Some(locked));
                }
            }
            Ok(None)
        })
    }
}
