//! Join: a hash join that builds from the right input and probes with the left one.

use std::sync::Arc;

use varve_expr::{Expr, evaluate, evaluate_filter};
use varve_sql::JoinNode;
use varve_types::{Batch, ColumnRef, LocalFuture, Reservation, Result, VECTOR_ROWS};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::gather::Pick;
use crate::join::{BuildSide, Matches};

/// Reads the right input when the first batch is asked for. Without keys every row has the same,
/// empty key, which makes it a cross join.
pub(crate) struct JoinStream<'a> {
    running: Running<'a>,
    left: Box<dyn BatchStream + 'a>,
    right: Option<Box<dyn BatchStream + 'a>>,
    node: &'a JoinNode,
    build: BuildSide,
    booked: Reservation,
    probe: Option<Probe>,
}

/// A left batch, and how far its matches were given.
struct Probe {
    batch: Batch,
    matches: Matches,
}

impl<'a> JoinStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        left: Box<dyn BatchStream + 'a>,
        right: Box<dyn BatchStream + 'a>,
        node: &'a JoinNode,
    ) -> JoinStream<'a> {
        let types: Vec<_> = node
            .equal
            .iter()
            .map(|(_, key)| key.logical_type())
            .collect();
        JoinStream {
            booked: running.reservation(),
            running,
            left,
            right: Some(right),
            node,
            build: BuildSide::new(&types),
            probe: None,
        }
    }

    async fn read_right(&mut self) -> Result<()> {
        while let Some(right) = &mut self.right {
            let Some(batch) = right.next().await? else {
                self.right = None;
                break;
            };
            let batch = batch.compact();
            let keys = self.keys(&batch, |(_, key)| key)?;
            self.build.add(batch, keys);
            book(&mut self.booked, self.build.memory_bytes())?;
        }
        Ok(())
    }

    fn keys(
        &self,
        batch: &Batch,
        side: impl Fn(&'a (Expr, Expr)) -> &'a Expr,
    ) -> Result<Vec<ColumnRef>> {
        let eval = self.running.eval();
        let keys = self
            .node
            .equal
            .iter()
            .map(|pair| evaluate(side(pair), batch, &eval));
        keys.collect()
    }

    /// The next left batch that may have matches; false after the last one.
    async fn next_probe(&mut self) -> Result<bool> {
        let Some(batch) = self.left.next().await? else {
            return Ok(false);
        };
        let batch = batch.compact();
        let keys = self.keys(&batch, |(key, _)| key)?;
        let matches = self.build.find(&keys, batch.rows());
        self.probe = Some(Probe { batch, matches });
        Ok(true)
    }

    /// Up to 1,024 joined rows of the left batch at hand, before the residual condition.
    fn joined(&mut self) -> Option<Batch> {
        let probe = self.probe.as_mut()?;
        let mut rows: Vec<u32> = Vec::with_capacity(VECTOR_ROWS);
        let mut picks: Vec<Pick> = Vec::with_capacity(VECTOR_ROWS);
        while picks.len() < VECTOR_ROWS
            && let Some((row, pick)) = probe.matches.next(&self.build)
        {
            rows.push(row);
            picks.push(pick);
        }
        if picks.is_empty() {
            self.probe = None;
            return None;
        }
        let left = probe.batch.physical_columns().iter();
        let mut columns: Vec<ColumnRef> = left.map(|column| Arc::new(column.take(&rows))).collect();
        columns.extend(self.build.gather(&picks));
        Some(Batch::new(columns, picks.len()))
    }
}

impl BatchStream for JoinStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            if self.right.is_some() {
                self.read_right().await?;
            }
            if self.build.is_empty() {
                return Ok(None);
            }
            loop {
                self.running.checkpoint().await?;
                let Some(batch) = self.joined() else {
                    if self.next_probe().await? {
                        continue;
                    }
                    return Ok(None);
                };
                let Some(residual) = &self.node.residual else {
                    return Ok(Some(batch));
                };
                let keep = evaluate_filter(residual, &batch, &self.running.eval())?;
                if !keep.is_empty() {
                    return Ok(Some(batch.select(&keep)));
                }
            }
        })
    }
}

#[cfg(test)]
#[path = "join_tests.rs"]
mod tests;
