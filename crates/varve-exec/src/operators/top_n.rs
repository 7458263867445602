//! Top-N: the first rows of an order, without keeping the others.

use std::collections::VecDeque;
use std::sync::Arc;

use varve_plan::SortKeyExpr;
use varve_types::{Batch, Cutoff, LocalFuture, Reservation, Result, Selection, VECTOR_ROWS};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::keys::KeyBlock;
use crate::sort::{SortBuffer, SortKeys};

/// Reads its whole input, then gives the first `rows` rows in order. It holds about twice as many.
pub(crate) struct TopNStream<'a> {
    running: Running<'a>,
    input: Option<Box<dyn BatchStream + 'a>>,
    keys: SortKeys<'a>,
    rows: usize,
    candidates: SortBuffer,
    /// The last key of the first `rows` rows seen, once there are so many: what follows it is out.
    bound: Option<Vec<u8>>,
    /// Tells the scan below of the bound; the column is that of the first key.
    cutoff: Option<Arc<Cutoff>>,
    booked: Reservation,
    sorted: VecDeque<Batch>,
}

impl<'a> TopNStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        keys: &'a [SortKeyExpr],
        rows: usize,
    ) -> TopNStream<'a> {
        TopNStream {
            booked: running.reservation(),
            running,
            input: Some(input),
            keys: SortKeys::new(keys),
            rows,
            candidates: SortBuffer::default(),
            bound: None,
            cutoff: None,
            sorted: VecDeque::new(),
        }
    }

    /// The same, which tells a scan below what rows are not wanted.
    pub(crate) fn cutting_off(self, cutoff: Option<Arc<Cutoff>>) -> TopNStream<'a> {
        TopNStream { cutoff, ..self }
    }

    async fn read_input(&mut self) -> Result<()> {
        let mut keys = KeyBlock::default();
        while let Some(input) = &mut self.input {
            let Some(batch) = input.next().await? else {
                self.input = None;
                break;
            };
            let batch = self.keys.extend(&batch, &self.running.eval())?;
            self.add(&batch, &mut keys);
            book(&mut self.booked, self.candidates.memory_bytes())?;
        }
        self.sorted = self.candidates.sort(self.rows).into();
        Ok(())
    }

    fn add(&mut self, batch: &Batch, keys: &mut KeyBlock) {
        let batch = match &self.bound {
            None => batch.clone(),
            Some(bound) => {
                keys.clear();
                self.keys.encode(batch, keys);
                // A row with the key of the last one comes after it, because ties keep their order.
                let before = (0..).take(batch.rows());
                let before = before.filter(|row| keys.get(*row as usize) < bound.as_slice());
                batch.select(&Selection::new(before.collect())).compact()
            }
        };
        if batch.is_empty() {
            return;
        }
        self.candidates.push(&self.keys, batch);
        let enough = match &self.cutoff {
            // The sooner there is a bound, the less is read.
            Some(_) => self.rows,
            None => self.rows.max(VECTOR_ROWS),
        };
        if self.candidates.len() >= 2 * enough {
            self.drop_hopeless();
        }
    }

    /// Cuts the candidates to as many as are asked for.
    fn drop_hopeless(&mut self) {
        let mut last = KeyBlock::default();
        for batch in self.candidates.sort(self.rows) {
            last.clear();
            self.keys.encode(&batch, &mut last);
            if let (Some(cutoff), Some(value)) = (&self.cutoff, self.keys.last_of_first(&batch)) {
                cutoff.set_last(value);
            }
            self.candidates.push(&self.keys, batch);
        }
        self.bound = last.len().checked_sub(1).map(|row| last.get(row).to_vec());
    }
}

impl BatchStream for TopNStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            if self.input.is_some() {
                self.read_input().await?;
            }
            self.running.checkpoint().await?;
            let batch = self.sorted.pop_front();
            Ok(batch.map(|batch| self.keys.strip(&batch)))
        })
    }
}
