//! The results of one call over a partition.

use core::ops::Range;
use std::sync::Arc;

use varve_expr::{Accumulator, AggregateFunction, EvalContext, Expr, RowGroups, evaluate};
use varve_plan::{SortKeyExpr, WindowCall, WindowFunction};
use varve_types::{
    Column, ColumnBuilder, ColumnRef, Error, Invariant, Result, SqlState, Value, meter,
};

use super::Partition;
use super::frame::Frames;
use super::partition::joined;

/// One row a row of the partition.
pub(crate) fn compute(
    call: &WindowCall,
    order: &[SortKeyExpr],
    partition: &Partition,
    eval: &EvalContext<'_>,
) -> Result<Column> {
    let computing = Computing {
        call,
        order,
        partition,
        eval,
    };
    let args = call.args.iter().map(|arg| computing.of_rows(arg));
    let args: Vec<Column> = args.collect::<Result<_>>()?;
    let rows = partition.rows();
    let mut results = ColumnBuilder::with_capacity(call.ty, rows);
    match call.function {
        WindowFunction::RowNumber => {
            (1..=rows).for_each(|number| results.push(&Value::Int8(wide(number))));
        }
        WindowFunction::Rank => ranks(partition, &mut results, |row| {
            let group = partition.group_of(row);
            Value::Int8(wide(partition.group_start(group) + 1))
        }),
        WindowFunction::DenseRank => ranks(partition, &mut results, |row| {
            Value::Int8(wide(partition.group_of(row) + 1))
        }),
        WindowFunction::PercentRank => ranks(partition, &mut results, |row| {
            let before = partition.group_start(partition.group_of(row));
            Value::Float8(match rows {
                1 => 0.0,
                _ => double(before) / double(rows - 1),
            })
        }),
        WindowFunction::CumeDist => ranks(partition, &mut results, |row| {
            let through = partition.group_start(partition.group_of(row) + 1);
            Value::Float8(double(through) / double(rows))
        }),
        WindowFunction::Ntile => ntile(&args, rows, &mut results)?,
        WindowFunction::Lag | WindowFunction::Lead => {
            let forward = call.function == WindowFunction::Lead;
            shifted(&args, rows, forward, &mut results);
        }
        WindowFunction::FirstValue | WindowFunction::LastValue | WindowFunction::NthValue => {
            computing.values_of_frames(&args, &mut results)?;
        }
        WindowFunction::Aggregate(function) => {
            computing.aggregates(function, args, &mut results)?;
        }
    }
    meter::check()?;
    Ok(results.finish())
}

/// A rank for each row.
fn ranks(partition: &Partition, results: &mut ColumnBuilder, of: impl Fn(usize) -> Value) {
    (0..partition.rows()).for_each(|row| results.push(&of(row)));
}

/// A call, and what it is computed over.
struct Computing<'c> {
    call: &'c WindowCall,
    order: &'c [SortKeyExpr],
    partition: &'c Partition,
    eval: &'c EvalContext<'c>,
}

impl<'c> Computing<'c> {
    /// The values of an expression in all rows of the partition.
    fn of_rows(&self, expr: &Expr) -> Result<Column> {
        let batches = self.partition.batches.iter();
        let columns = batches.map(|batch| evaluate(expr, batch, self.eval));
        let columns: Vec<ColumnRef> = columns.collect::<Result<_>>()?;
        Ok(joined(expr.logical_type(), &columns))
    }

    /// The values of the one order column, for RANGE with offsets.
    fn order_column(&self) -> Result<Option<(Column, &'c SortKeyExpr)>> {
        match self.order {
            [key] => Ok(Some((self.of_rows(&key.expr)?, key))),
            _ => Ok(None),
        }
    }

    /// A value of one row of each row's frame.
    fn values_of_frames(&self, args: &[Column], results: &mut ColumnBuilder) -> Result<()> {
        let frames = Frames::new(&self.call.frame, self.eval)?;
        let order = self.order_column()?;
        for row in 0..self.partition.rows() {
            let order = order.as_ref().map(|(column, key)| (column, *key));
            let frame = frames.of(self.partition, row, order)?;
            let at = match self.call.function {
                WindowFunction::FirstValue => frame.first().map(|part| part.start),
                WindowFunction::LastValue => frame.last().map(|part| part.end - 1),
                _ => nth(args, row, &frame)?,
            };
            let value = at.and_then(|at| Some(args.first()?.value(at)));
            let value = value.unwrap_or(Value::Null);
            results.push(&value);
            meter::steps(STEPS_OF_FRAME + value.heap_bytes() / 64)?;
        }
        Ok(())
    }

    /// An aggregate over each row's frame.
    fn aggregates(
        &self,
        function: AggregateFunction,
        args: Vec<Column>,
        results: &mut ColumnBuilder,
    ) -> Result<()> {
        let frames = Frames::new(&self.call.frame, self.eval)?;
        let filter = self.call.filter.as_ref();
        let filter = filter.map(|filter| self.of_rows(filter)).transpose()?;
        let order = self.order_column()?;
        let aggregate = Aggregate {
            args: args.into_iter().map(Arc::new).collect(),
            filter: filter.as_ref(),
            eval: self.eval,
        };
        let mut last: Option<(Vec<Range<usize>>, Value)> = None;
        let mut growing = (Accumulator::new(function), 0);
        for row in 0..self.partition.rows() {
            let order = order.as_ref().map(|(column, key)| (column, *key));
            let frame = frames.of(self.partition, row, order)?;
            let value = match &last {
                Some((known, value)) if *known == frame => value.clone(),
                _ if frames.only_grows() => {
                    let end = frame.last().map_or(0, |part| part.end);
                    aggregate.add(&mut growing.0, growing.1..end)?;
                    growing.1 = end.max(growing.1);
                    growing.0.current()?
                }
                _ => {
                    let mut state = Accumulator::new(function);
                    for part in &frame {
                        aggregate.add(&mut state, part.clone())?;
                    }
                    state.current()?
                }
            };
            results.push(&value);
            meter::steps(STEPS_OF_FRAME + value.heap_bytes() / 64)?;
            last = Some((frame, value));
        }
        Ok(())
    }
}

/// What finding the frame of a row takes, in [`meter::steps`].
const STEPS_OF_FRAME: usize = 8;

/// An aggregate over ranges of rows.
struct Aggregate<'c> {
    args: Vec<ColumnRef>,
    filter: Option<&'c Column>,
    eval: &'c EvalContext<'c>,
}

impl Aggregate<'_> {
    fn add(&self, state: &mut Accumulator, rows: Range<usize>) -> Result<()> {
        let passes = |row: &u32| {
            self.filter
                .is_none_or(|filter| filter.value(*row as usize) == Value::Boolean(true))
        };
        let (Ok(start), Ok(end)) = (u32::try_from(rows.start), u32::try_from(rows.end)) else {
            return Err(Error::internal("a partition of too many rows"));
        };
        meter::steps(rows.len())?;
        let chosen: Vec<u32> = (start..end).filter(passes).collect();
        let groups = RowGroups::one(meter::fitting(chosen.len(), "rows of a frame"));
        let args = self.args.iter().map(|arg| Arc::new(arg.take(&chosen)));
        state.update(&groups, 1, &args.collect::<Vec<_>>(), self.eval)
    }
}

fn ntile(args: &[Column], rows: usize, results: &mut ColumnBuilder) -> Result<()> {
    // The argument of the first row counts, as in PostgreSQL.
    let buckets = match args.first().map(|arg| arg.value(0)) {
        Some(Value::Int4(buckets)) => i64::from(buckets),
        Some(Value::Int8(buckets)) => buckets,
        _ => {
            (0..rows).for_each(|_| results.push(&Value::Null));
            return Ok(());
        }
    };
    if buckets <= 0 {
        return Err(Error::new(
            SqlState::INVALID_ARGUMENT_FOR_NTILE,
            "argument of ntile must be greater than zero",
        ));
    }
    let count = usize::try_from(buckets).unwrap_or(usize::MAX);
    let (size, larger) = (rows / count, rows % count);
    for row in 0..rows {
        let in_larger = larger * (size + 1);
        let bucket = if row < in_larger {
            row / (size + 1)
        } else {
            larger + (row - in_larger) / size.max(1)
        };
        let number = i32::try_from(bucket + 1).or_broken("bucket")?;
        results.push(&Value::Int4(number));
    }
    Ok(())
}

/// `lag` and `lead`: the value so many rows before or after, or the default.
fn shifted(args: &[Column], rows: usize, forward: bool, results: &mut ColumnBuilder) {
    let number = |row: usize| match args.get(1).map(|offset| offset.value(row)) {
        None => Some(1),
        Some(Value::Int4(offset)) => Some(i64::from(offset)),
        Some(Value::Int8(offset)) => Some(offset),
        Some(_) => None,
    };
    for row in 0..rows {
        let Some(offset) = number(row) else {
            results.push(&Value::Null);
            continue;
        };
        let at = if forward {
            wide(row).checked_add(offset)
        } else {
            wide(row).checked_sub(offset)
        };
        let at = at
            .and_then(|at| usize::try_from(at).ok())
            .filter(|at| *at < rows);
        let value = match at {
            Some(at) => args.first().map(|arg| arg.value(at)),
            None => args.get(2).map(|default| default.value(row)),
        };
        results.push(&value.unwrap_or(Value::Null));
    }
}

/// The row of a frame that `nth_value` asks for.
fn nth(args: &[Column], row: usize, frame: &[Range<usize>]) -> Result<Option<usize>> {
    let n = match args.get(1).map(|n| n.value(row)) {
        Some(Value::Int4(n)) => i64::from(n),
        Some(Value::Int8(n)) => n,
        _ => return Ok(None),
    };
    let error = || {
        Error::new(
            SqlState::INVALID_ARGUMENT_FOR_NTH_VALUE,
            "argument of nth_value must be greater than zero",
        )
    };
    let n = usize::try_from(n).map_err(|_| error())?;
    let mut left = n.checked_sub(1).ok_or_else(error)?;
    for part in frame {
        if left < part.len() {
            return Ok(Some(part.start + left));
        }
        left -= part.len();
    }
    Ok(None)
}

fn wide(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "ranks are doubles; partitions have fewer than 2^53 rows"
)]
fn double(number: usize) -> f64 {
    number as f64
}
