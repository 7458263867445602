//! Aggregates whose state is a value or two: boolean and bit operations, any value, first and
//! last, sums of intervals.

use varve_types::{Error, Interval, LogicalType, Result, SqlState, Value};

use crate::datetime::divided_interval;
use crate::tree::{Row, State};

/// The value kept, NULL without a row.
pub(super) fn kept(state: &State, _: LogicalType) -> Result<Value> {
    Ok(match state {
        State::Value(value) | State::Keyed(value, _) => value.clone(),
        _ => Value::Null,
    })
}

fn join(state: &mut State, row: &Row<'_>, join: fn(&Value, &Value) -> Value) -> Result<()> {
    let value = row.value(0);
    *state = match &*state {
        State::Value(before) => State::Value(join(before, &value)),
        _ => State::Value(value),
    };
    Ok(())
}

pub(super) fn bool_and(state: &mut State, row: &Row<'_>) -> Result<()> {
    join(state, row, |a, b| {
        Value::Boolean(*a == Value::Boolean(true) && *b == Value::Boolean(true))
    })
}

pub(super) fn bool_or(state: &mut State, row: &Row<'_>) -> Result<()> {
    join(state, row, |a, b| {
        Value::Boolean(*a == Value::Boolean(true) || *b == Value::Boolean(true))
    })
}

/// Two integers of one type as integers; sign extension keeps the bits of the narrow ones.
fn bits(a: &Value, b: &Value, operation: fn(i64, i64) -> i64) -> Value {
    let integers = a.integer().zip(b.integer()).zip(a.logical_type());
    let joined = integers.and_then(|((x, y), ty)| Value::of_integer(ty, operation(x, y)));
    joined.unwrap_or(Value::Null)
}

pub(super) fn bit_and(state: &mut State, row: &Row<'_>) -> Result<()> {
    join(state, row, |a, b| bits(a, b, |x, y| x & y))
}

pub(super) fn bit_or(state: &mut State, row: &Row<'_>) -> Result<()> {
    join(state, row, |a, b| bits(a, b, |x, y| x | y))
}

pub(super) fn bit_xor(state: &mut State, row: &Row<'_>) -> Result<()> {
    join(state, row, |a, b| bits(a, b, |x, y| x ^ y))
}

pub(super) fn any_value(state: &mut State, row: &Row<'_>) -> Result<()> {
    join(state, row, |a, _| a.clone())
}

/// Keeps the value of the row whose key comes first; of equal keys that of the first row. Rows
/// without a key come last of all, if none has one.
fn keyed(state: &mut State, row: &Row<'_>, wanted: core::cmp::Ordering) -> Result<()> {
    let key = row.value(1);
    let better = match &*state {
        State::Keyed(_, best) if best.is_null() => !key.is_null(),
        State::Keyed(_, best) => key.compare(best) == Some(wanted),
        _ => true,
    };
    if better {
        *state = State::Keyed(row.value(0), key);
    }
    Ok(())
}

pub(super) fn first(state: &mut State, row: &Row<'_>) -> Result<()> {
    keyed(state, row, core::cmp::Ordering::Less)
}

pub(super) fn last(state: &mut State, row: &Row<'_>) -> Result<()> {
    keyed(state, row, core::cmp::Ordering::Greater)
}

pub(super) fn add_interval(state: &mut State, row: &Row<'_>) -> Result<()> {
    let interval = row.interval(0);
    let parts = [
        interval.months.into(),
        interval.days.into(),
        interval.us.into(),
        1,
    ];
    match state {
        State::Span(sums) => {
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum = sum.saturating_add(part);
            }
        }
        _ => *state = State::Span(Box::new(parts)),
    }
    Ok(())
}

fn summed(state: &State) -> Result<Option<(Interval, i128)>> {
    let State::Span(sums) = state else {
        return Ok(None);
    };
    let [months, days, us, count] = **sums;
    let interval = (|| {
        Some(Interval {
            months: i32::try_from(months).ok()?,
            days: i32::try_from(days).ok()?,
            us: i64::try_from(us).ok()?,
        })
    })();
    let out_of_range = || Error::new(SqlState::DATETIME_FIELD_OVERFLOW, "interval out of range");
    Ok(Some((interval.ok_or_else(out_of_range)?, count)))
}

pub(super) fn sum_of_intervals(state: &State, _: LogicalType) -> Result<Value> {
    Ok(summed(state)?.map_or(Value::Null, |(sum, _)| Value::Interval(sum)))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "as PostgreSQL divides, by the nearest double"
)]
pub(super) fn mean_of_intervals(state: &State, _: LogicalType) -> Result<Value> {
    match summed(state)? {
        Some((sum, count)) => divided_interval(sum, count as f64).map(Value::Interval),
        None => Ok(Value::Null),
    }
}
