//! Window: window functions over an input that is ordered by partition, then by the window's
//! order. A partition is held in memory while its results are made.

use std::collections::VecDeque;
use std::sync::Arc;

use varve_expr::{Expr, evaluate};
use varve_plan::WindowNode;
use varve_types::{Batch, ColumnRef, LocalFuture, Reservation, Result};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::keys::{KeyBlock, encode_keys};
use crate::window::{Partition, compute};

/// Gives a partition when the row behind it, or the end, is met.
pub(crate) struct WindowStream<'a> {
    running: Running<'a>,
    input: Option<Box<dyn BatchStream + 'a>>,
    node: &'a WindowNode,
    partition: Partition,
    /// The keys of the last row: its partition, and its place in the order.
    last: Option<(Vec<u8>, Vec<u8>)>,
    ready: VecDeque<Batch>,
    booked: Reservation,
}

impl<'a> WindowStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        node: &'a WindowNode,
    ) -> WindowStream<'a> {
        WindowStream {
            booked: running.reservation(),
            running,
            input: Some(input),
            node,
            partition: Partition::default(),
            last: None,
            ready: VecDeque::new(),
        }
    }

    /// The keys of the rows of a batch.
    fn keys(&self, batch: &Batch, exprs: &mut dyn Iterator<Item = &Expr>) -> Result<KeyBlock> {
        let eval = self.running.eval();
        let columns = exprs.map(|expr| evaluate(expr, batch, &eval));
        let columns: Vec<ColumnRef> = columns.collect::<Result<_>>()?;
        let mut block = KeyBlock::default();
        encode_keys(&columns, &[], batch.rows(), &mut block);
        Ok(block)
    }

    async fn add(&mut self, batch: Batch) -> Result<()> {
        let batch = batch.compact();
        let partitions = self.keys(&batch, &mut self.node.partition.iter())?;
        let places = self.keys(&batch, &mut self.node.order.iter().map(|key| &key.expr))?;
        let mut start = 0;
        let mut peers: Vec<usize> = Vec::new();
        for row in 0..batch.rows() {
            let (partition, place) = (partitions.get(row), places.get(row));
            let (same_partition, same_place) = match (row.checked_sub(1), &self.last) {
                (Some(before), _) => (
                    partitions.get(before) == partition,
                    places.get(before) == place,
                ),
                (None, Some((known, last_place))) => (known == partition, last_place == place),
                (None, None) => (true, false),
            };
            if !same_partition {
                if row > start {
                    self.partition.push(batch.slice(start, row - start), &peers);
                }
                self.close().await?;
                start = row;
                peers.clear();
            }
            if !same_partition || !same_place {
                peers.push(row - start);
            }
        }
        let rows = batch.rows();
        self.partition
            .push(batch.slice(start, rows - start), &peers);
        if let Some(last) = rows.checked_sub(1) {
            self.last = Some((partitions.get(last).to_vec(), places.get(last).to_vec()));
        }
        book(&mut self.booked, self.partition.memory_bytes())
    }

    /// Makes the results of the partition.
    async fn close(&mut self) -> Result<()> {
        let partition = core::mem::take(&mut self.partition);
        if partition.rows() == 0 {
            return Ok(());
        }
        let mut results = Vec::with_capacity(self.node.calls.len());
        for call in &self.node.calls {
            let eval = self.running.eval();
            let result = compute(call, &self.node.order, &partition, &eval);
            results.push(result?);
            self.running.checkpoint().await?;
        }
        let mut start = 0;
        for batch in partition.batches {
            let rows = batch.rows();
            let mut columns = batch.physical_columns().to_vec();
            columns.extend(
                results
                    .iter()
                    .map(|result| Arc::new(result.slice(start, rows))),
            );
            self.ready.push_back(Batch::new(columns, rows));
            start += rows;
        }
        Ok(())
    }
}

impl BatchStream for WindowStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            loop {
                if let Some(batch) = self.ready.pop_front() {
                    return Ok(Some(batch));
                }
                let Some(input) = &mut self.input else {
                    return Ok(None);
                };
                self.running.checkpoint().await?;
                match input.next().await? {
                    Some(batch) => self.add(batch).await?,
                    None => {
                        self.input = None;
                        self.close().await?;
                    }
                }
            }
        })
    }
}
