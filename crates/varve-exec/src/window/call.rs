//! The results of one call over a partition.

use core::ops::Range;
use std::sync::Arc;

use varve_expr::{Accumulator, EvalContext, Expr, evaluate};
use varve_plan::{SortKeyExpr, WindowCall, WindowFunction};
use varve_types::{Column, ColumnBuilder, ColumnRef, Error, Result, SqlState, Value, meter};

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
    let of_rows = |expr: &Expr| -> Result<Column> {
        let columns = partition
            .batches
            .iter()
            .map(|batch| evaluate(expr, batch, eval));
        let columns: Vec<ColumnRef> = columns.collect::<Result<_>>()?;
        Ok(joined(expr.logical_type(), &columns))
    };
    let args: Vec<Column> = call.args.iter().map(of_rows).collect::<Result<_>>()?;
    let rows = partition.rows();
    let mut results = ColumnBuilder::with_capacity(call.ty, rows);
    match call.function {
        WindowFunction::RowNumber => {
            (1..=rows).for_each(|number| results.push(&Value::Int8(wide(number))));
        }
        WindowFunction::Rank | WindowFunction::DenseRank => {
            for row in 0..rows {
                let group = partition.group_of(row);
                let rank = match call.function {
                    WindowFunction::Rank => partition.group_start(group) + 1,
                    _ => group + 1,
                };
                results.push(&Value::Int8(wide(rank)));
            }
        }
        WindowFunction::PercentRank => {
            for row in 0..rows {
                let before = partition.group_start(partition.group_of(row));
                let rank = match rows {
                    1 => 0.0,
                    _ => double(before) / double(rows - 1),
                };
                results.push(&Value::Float8(rank));
            }
        }
        WindowFunction::CumeDist => {
            for row in 0..rows {
                let through = partition.group_start(partition.group_of(row) + 1);
                results.push(&Value::Float8(double(through) / double(rows)));
            }
        }
        WindowFunction::Ntile => ntile(&args, rows, &mut results)?,
        WindowFunction::Lag | WindowFunction::Lead => {
            let forward = call.function == WindowFunction::Lead;
            shifted(&args, rows, forward, &mut results);
        }
        WindowFunction::FirstValue | WindowFunction::LastValue | WindowFunction::NthValue => {
            let frames = Frames::new(&call.frame, eval)?;
            let order = order_column(order, &of_rows)?;
            for row in 0..rows {
                let order = order.as_ref().map(|(column, key)| (column, *key));
                let frame = frames.of(partition, row, order)?;
                let at = match call.function {
                    WindowFunction::FirstValue => frame.first().map(|part| part.start),
                    WindowFunction::LastValue => frame.last().map(|part| part.end - 1),
                    _ => nth(&args, row, &frame)?,
                };
                let value = at.and_then(|at| Some(args.first()?.value(at)));
                let value = value.unwrap_or(Value::Null);
                results.push(&value);
                meter::steps(STEPS_OF_FRAME + value.heap_bytes() / 64)?;
            }
        }
        WindowFunction::Aggregate(function) => {
            let frames = Frames::new(&call.frame, eval)?;
            let filter = call.filter.as_ref().map(&of_rows).transpose()?;
            let order = order_column(order, &of_rows)?;
            let aggregate = Aggregate {
                args: args.into_iter().map(Arc::new).collect(),
                filter: filter.as_ref(),
                eval,
            };
            let mut last: Option<(Vec<Range<usize>>, Value)> = None;
            let mut growing = (Accumulator::new(function), 0);
            for row in 0..rows {
                let order = order.as_ref().map(|(column, key)| (column, *key));
                let frame = frames.of(partition, row, order)?;
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
        }
    }
    meter::check()?;
    Ok(results.finish())
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
        let groups = vec![0; chosen.len()];
        let args = self.args.iter().map(|arg| Arc::new(arg.take(&chosen)));
        state.update(&groups, 1, &args.collect::<Vec<_>>(), self.eval)
    }
}

/// The values of the one order column, for RANGE with offsets.
fn order_column<'k>(
    order: &'k [SortKeyExpr],
    of_rows: &dyn Fn(&Expr) -> Result<Column>,
) -> Result<Option<(Column, &'k SortKeyExpr)>> {
    match order {
        [key] => Ok(Some((of_rows(&key.expr)?, key))),
        _ => Ok(None),
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
        let number = i32::try_from(bucket + 1).unwrap_or(i32::MAX);
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
