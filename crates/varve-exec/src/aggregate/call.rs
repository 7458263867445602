//! One aggregate of a query while it runs.

use std::sync::Arc;

use varve_expr::{Accumulator, EvalContext, Expr, evaluate, evaluate_filter};
use varve_sql::AggregateCall;
use varve_types::{Batch, Column, ColumnData, ColumnRef, Error, LogicalType, Result};

use crate::keys::KeyIndex;

/// The accumulator of a call, behind its FILTER and DISTINCT.
pub(crate) struct Call<'a> {
    call: &'a AggregateCall,
    accumulator: Accumulator,
    /// Pairs of group and argument seen before, for DISTINCT.
    seen: Option<KeyIndex>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(call: &'a AggregateCall) -> Call<'a> {
        let argument = call.argument.as_ref().filter(|_| call.distinct);
        let pair = argument.map(|argument| [LogicalType::Int8, argument.logical_type()]);
        Call {
            call,
            accumulator: Accumulator::new(call.function),
            seen: pair.map(|pair| KeyIndex::new(&pair)),
        }
    }

    /// Adds the rows of a batch without selection; `groups` has the group of each.
    pub(crate) fn update(
        &mut self,
        batch: &Batch,
        groups: &[u32],
        group_count: usize,
        eval: &EvalContext<'_>,
    ) -> Result<()> {
        let Some(filter) = &self.call.filter else {
            return self.update_filtered(batch, groups, group_count, eval);
        };
        let keep = evaluate_filter(filter, batch, eval)?;
        let groups = take(groups, keep.rows());
        self.update_filtered(&batch.select(&keep).compact(), &groups, group_count, eval)
    }

    fn update_filtered(
        &mut self,
        batch: &Batch,
        groups: &[u32],
        group_count: usize,
        eval: &EvalContext<'_>,
    ) -> Result<()> {
        let evaluate = |expr: &Expr| evaluate(expr, batch, eval);
        let argument: Option<ColumnRef> = self.call.argument.as_ref().map(evaluate).transpose()?;
        if let (Some(seen), Some(argument)) = (&mut self.seen, &argument) {
            let new_rows = new_pairs(seen, groups, argument)?;
            let argument = argument.take(&new_rows);
            let groups = take(groups, &new_rows);
            return self.accumulate(&groups, group_count, Some(&argument));
        }
        self.accumulate(groups, group_count, argument.as_deref())
    }

    fn accumulate(
        &mut self,
        groups: &[u32],
        group_count: usize,
        argument: Option<&Column>,
    ) -> Result<()> {
        let position = self.call.position;
        let result = self.accumulator.update(groups, group_count, argument);
        result.map_err(|error| error_at(error, position))
    }

    /// One row a group.
    pub(crate) fn finish(self, group_count: usize) -> Result<Column> {
        let position = self.call.position;
        let result = self.accumulator.finish(group_count);
        result.map_err(|error| error_at(error, position))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let seen = self.seen.as_ref().map_or(0, KeyIndex::memory_bytes);
        seen + self.accumulator.memory_bytes()
    }
}

/// The rows that bring a pair of group and argument for the first time.
fn new_pairs(seen: &mut KeyIndex, groups: &[u32], argument: &ColumnRef) -> Result<Vec<u32>> {
    let groups = groups.iter().map(|group| i64::from(*group)).collect();
    let groups = Column::plain(LogicalType::Int8, ColumnData::Int64(groups), None)
        .ok_or_else(|| Error::internal("group numbers are not a bigint column"))?;
    let rows = groups.len();
    let pair = [Arc::new(groups), Arc::clone(argument)];
    let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
    seen.insert(&pair, rows, &mut ids, &mut new_rows);
    Ok(new_rows)
}

fn take(groups: &[u32], rows: &[u32]) -> Vec<u32> {
    let group = |row: &u32| groups.get(*row as usize).copied();
    rows.iter().filter_map(group).collect()
}

/// Position 0 stands for no place of its own.
fn error_at(error: Error, position: u32) -> Error {
    match position {
        0 => error,
        _ => error.at(position),
    }
}
