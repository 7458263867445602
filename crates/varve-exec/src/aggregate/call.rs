//! One aggregate of a query while it runs.

use std::borrow::Cow;
use std::sync::Arc;

use varve_expr::{Accumulator, EvalContext, Expr, RowGroups, evaluate, evaluate_filter};
use varve_plan::{AggregateCall, SortKeyExpr};
use varve_types::{
    Batch, Column, ColumnData, ColumnRef, Error, LogicalType, Result, Summary, Wanted,
};

use crate::keys::{KeyIndex, KeyOrder};
use crate::sort::SortBuffer;

/// The accumulator of a call, behind its FILTER, DISTINCT and ORDER BY.
pub(crate) struct Call<'a> {
    call: &'a AggregateCall,
    accumulator: Accumulator,
    /// Groups with their arguments seen before, for DISTINCT.
    seen: Option<KeyIndex>,
    /// Arguments and groups that wait to be taken in in order.
    waiting: SortBuffer,
    orders: Vec<KeyOrder>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(call: &'a AggregateCall) -> Call<'a> {
        let args = call.args.iter().map(Expr::logical_type);
        let key: Vec<LogicalType> = core::iter::once(LogicalType::Int8).chain(args).collect();
        let is_distinct = call.distinct && !call.args.is_empty();
        let order = |key: &SortKeyExpr| KeyOrder {
            descending: key.descending,
            nulls_first: key.nulls_first,
        };
        Call {
            call,
            accumulator: Accumulator::new(call.function),
            seen: is_distinct.then(|| KeyIndex::new(&key)),
            waiting: SortBuffer::default(),
            orders: call.order.iter().map(order).collect(),
        }
    }

    /// Adds the rows of a batch without selection.
    pub(crate) fn update(
        &mut self,
        batch: &Batch,
        groups: &RowGroups,
        group_count: usize,
        eval: &EvalContext<'_>,
    ) -> Result<()> {
        let Some(filter) = &self.call.filter else {
            return self.update_filtered(batch, groups, group_count, eval);
        };
        let keep = evaluate_filter(filter, batch, eval)?;
        if keep.len() == batch.rows() {
            return self.update_filtered(batch, groups, group_count, eval);
        }
        let groups = groups.take(keep.rows());
        self.update_filtered(&batch.select(&keep).compact(), &groups, group_count, eval)
    }

    fn update_filtered(
        &mut self,
        batch: &Batch,
        groups: &RowGroups,
        group_count: usize,
        eval: &EvalContext<'_>,
    ) -> Result<()> {
        let order = self.call.order.iter().map(|key| &key.expr);
        let exprs = self.call.args.iter().chain(order);
        let columns = exprs.map(|expr| evaluate(expr, batch, eval));
        let mut args: Vec<ColumnRef> = columns.collect::<Result<_>>()?;
        let mut keys = args.split_off(self.call.args.len());
        let mut groups = Cow::Borrowed(groups);
        if let Some(seen) = &mut self.seen {
            let new_rows = new_keys(seen, &groups, &args)?;
            for column in args.iter_mut().chain(&mut keys) {
                *column = Arc::new(column.take(&new_rows));
            }
            groups = Cow::Owned(groups.take(&new_rows));
        }
        if keys.is_empty() {
            return self.accumulate(&groups, group_count, &args, eval);
        }
        let rows = groups.rows();
        let groups = Arc::new(numbers(&groups)?);
        let columns = args.iter().chain([&groups]).map(Column::flatten);
        let batch = Batch::new(columns.collect(), rows);
        self.waiting.push_keyed(batch, &keys, &self.orders);
        Ok(())
    }

    fn accumulate(
        &mut self,
        groups: &RowGroups,
        group_count: usize,
        args: &[ColumnRef],
        eval: &EvalContext<'_>,
    ) -> Result<()> {
        self.accumulator.update(groups, group_count, args, eval)
    }

    /// Adds rows to the only group of which so much is known as [`wanted_of`] asks for.
    pub(crate) fn add_known(&mut self, known: &Summary) -> Result<()> {
        let column_of = |arg: &Expr| match arg {
            Expr::Column { index, .. } => known.columns.get(*index),
            _ => None,
        };
        let unknown = || Error::internal("a summary lacks what an aggregate wants");
        let arg = self.call.args.first();
        let column = arg
            .map(|arg| column_of(arg).ok_or_else(unknown))
            .transpose()?;
        self.accumulator.add_known(known.rows, column)
    }

    /// One row a group.
    pub(crate) fn finish(mut self, group_count: usize, eval: &EvalContext<'_>) -> Result<Column> {
        for batch in self.waiting.sort(usize::MAX) {
            let columns = batch.physical_columns();
            if let Some((groups, args)) = columns.split_last() {
                let group = |row| {
                    groups
                        .value(row)
                        .integer()
                        .and_then(|at| u32::try_from(at).ok())
                };
                let groups = RowGroups::Rows((0..batch.rows()).filter_map(group).collect());
                self.accumulate(&groups, group_count, args, eval)?;
            }
        }
        self.accumulator.finish(group_count)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let seen = self.seen.as_ref().map_or(0, KeyIndex::memory_bytes);
        seen + self.waiting.memory_bytes() + self.accumulator.memory_bytes()
    }
}

/// What aggregates without groups want of each of `width` columns; `None` where they must see the
/// rows themselves.
pub(crate) fn wanted_of(calls: &[AggregateCall], width: usize) -> Option<Vec<Wanted>> {
    let mut wanted = vec![Wanted::default(); width];
    for call in calls {
        if call.distinct || call.filter.is_some() || !call.order.is_empty() {
            return None;
        }
        let (sum, extremes) = call.function.wants_of_summary()?;
        if let Some(arg) = call.args.first() {
            let Expr::Column { index, .. } = arg else {
                return None;
            };
            let column = wanted.get_mut(*index)?;
            column.sum |= sum;
            column.extremes |= extremes;
        }
    }
    Some(wanted)
}

/// The numbers of the groups, in runs where these come so.
fn numbers(groups: &RowGroups) -> Result<Column> {
    let plain = |groups: &[u32]| {
        let groups = groups.iter().map(|group| i64::from(*group)).collect();
        Column::plain(LogicalType::Int8, ColumnData::Int64(groups), None)
    };
    let numbers = match groups {
        RowGroups::Rows(groups) => plain(groups),
        RowGroups::Runs { ends, groups } => {
            plain(groups).and_then(|values| Column::run_ends(ends.clone(), Arc::new(values)))
        }
    };
    numbers.ok_or_else(|| Error::internal("group numbers are not a bigint column"))
}

/// The rows that bring a group with these arguments for the first time.
fn new_keys(seen: &mut KeyIndex, groups: &RowGroups, args: &[ColumnRef]) -> Result<Vec<u32>> {
    let mut key = vec![Arc::new(numbers(groups)?)];
    key.extend(args.iter().cloned());
    let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
    seen.insert(&key, groups.rows(), &mut ids, &mut new_rows);
    Ok(new_rows)
}
