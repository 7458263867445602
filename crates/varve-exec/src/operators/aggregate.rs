//! Aggregate: hash aggregation, groups in the order in which they first appear.

use std::sync::Arc;

use varve_expr::{Expr, RowGroups, evaluate};
use varve_plan::AggregateCall;
use varve_types::{
    Batch, Column, ColumnRef, CommonRuns, LocalFuture, Reservation, Result, VECTOR_ROWS,
};

use crate::BatchStream;
use crate::aggregate::{Call, GroupRows};
use crate::context::{Running, book};
use crate::keys::KeyIndex;

/// Reads its whole input, then gives one row a group.
pub(crate) struct AggregateStream<'a> {
    running: Running<'a>,
    input: Option<Box<dyn BatchStream + 'a>>,
    exprs: &'a [Expr],
    index: KeyIndex,
    groups: GroupRows,
    calls: Vec<Call<'a>>,
    booked: Reservation,
    results: Vec<Column>,
    given_batches: usize,
}

impl<'a> AggregateStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        exprs: &'a [Expr],
        calls: &'a [AggregateCall],
    ) -> AggregateStream<'a> {
        let types: Vec<_> = exprs.iter().map(Expr::logical_type).collect();
        AggregateStream {
            booked: running.reservation(),
            running,
            input: Some(input),
            exprs,
            index: KeyIndex::new(&types),
            groups: GroupRows::new(types),
            calls: calls.iter().map(Call::new).collect(),
            results: Vec::new(),
            given_batches: 0,
        }
    }

    /// One group without group columns, be there rows or not.
    fn group_count(&self) -> usize {
        match self.exprs {
            [] => 1,
            _ => self.index.len() as usize,
        }
    }

    fn add(&mut self, batch: &Batch) -> Result<()> {
        let batch = batch.compact();
        let groups = self.groups_of(&batch)?;
        let (group_count, eval) = (self.group_count(), self.running.eval());
        for call in &mut self.calls {
            call.update(&batch, &groups, group_count, &eval)?;
        }
        let calls: usize = self.calls.iter().map(Call::memory_bytes).sum();
        let bytes = self.index.memory_bytes() + self.groups.memory_bytes() + calls;
        book(&mut self.booked, bytes)
    }

    /// The groups of a batch's rows, new ones added. A run of equal rows is looked up once.
    fn groups_of(&mut self, batch: &Batch) -> Result<RowGroups> {
        if self.exprs.is_empty() {
            return Ok(RowGroups::one(batch.row_numbers().end));
        }
        let eval = self.running.eval();
        let columns = self.exprs.iter().map(|expr| evaluate(expr, batch, &eval));
        let columns: Vec<ColumnRef> = columns.collect::<Result<_>>()?;
        let Some(CommonRuns { ends, heads }) = CommonRuns::new(&columns) else {
            return Ok(RowGroups::Rows(self.ids_of(&columns, batch.rows())));
        };
        let groups = self.ids_of(&heads, ends.len());
        Ok(RowGroups::Runs { ends, groups })
    }

    fn ids_of(&mut self, columns: &[ColumnRef], rows: usize) -> Vec<u32> {
        let (mut ids, mut new_rows) = (Vec::with_capacity(rows), Vec::new());
        self.index.insert(columns, rows, &mut ids, &mut new_rows);
        self.groups.add(columns, &new_rows);
        ids
    }

    async fn read_input(&mut self) -> Result<()> {
        while let Some(input) = &mut self.input {
            match input.next().await? {
                Some(batch) => self.add(&batch)?,
                None => {
                    let known = input.known();
                    for call in self.calls.iter_mut().filter(|_| known.rows > 0) {
                        call.add_known(&known)?;
                    }
                    self.input = None;
                }
            }
        }
        let group_count = self.group_count();
        self.groups.finish();
        for call in core::mem::take(&mut self.calls) {
            let result = call.finish(group_count, &self.running.eval());
            self.results.push(result?);
            self.running.checkpoint().await?;
        }
        Ok(())
    }
}

impl BatchStream for AggregateStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            if self.input.is_some() {
                self.read_input().await?;
            }
            self.running.checkpoint().await?;
            let start = self.given_batches * VECTOR_ROWS;
            let rows = self.group_count().saturating_sub(start).min(VECTOR_ROWS);
            if rows == 0 {
                return Ok(None);
            }
            let mut columns = self.groups.take_batch(self.given_batches);
            let results = self.results.iter();
            columns.extend(results.map(|column| Arc::new(column.slice(start, rows))));
            self.given_batches += 1;
            Ok(Some(Batch::new(columns, rows)))
        })
    }
}

#[cfg(test)]
#[path = "aggregate_tests.rs"]
mod tests;
