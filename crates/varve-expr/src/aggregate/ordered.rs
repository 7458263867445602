//! Ordered-set and hypothetical-set aggregates. Rows come in the order of WITHIN GROUP.

use core::cmp::Ordering;

use varve_types::{ArrayValue, Error, LogicalType, Result, SqlState, Value};

use crate::datetime::times_interval;
use crate::tree::{Ranks, Row, State};

/// Keeps the direct argument of the first row, then the values that are not NULL.
pub(super) fn with_direct(state: &mut State, row: &Row<'_>) -> Result<()> {
    if row.is_null(1) {
        return Ok(());
    }
    if state.values().is_empty() {
        state.push(row.value(0));
    }
    state.push(row.value(1));
    Ok(())
}

/// Keeps the values that are not NULL.
pub(super) fn values(state: &mut State, row: &Row<'_>) -> Result<()> {
    if !row.is_null(0) {
        state.push(row.value(0));
    }
    Ok(())
}

fn double(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number from 0 to the number of values"
)]
fn whole(number: f64) -> usize {
    number as usize
}

/// The value at a fraction of the sorted values, of which there is one at least.
type At = fn(&[Value], f64) -> Result<Value>;

fn continuous(sorted: &[Value], fraction: f64) -> Result<Value> {
    let place = fraction * double(sorted.len() - 1);
    let (low, high) = (libm::floor(place), libm::ceil(place));
    let at = |place: f64| sorted.get(whole(place)).unwrap_or(&Value::Null);
    let (first, second) = (at(low), at(high));
    if low == high {
        return Ok(first.clone());
    }
    let part = place - low;
    match (first, second) {
        (Value::Float8(first), Value::Float8(second)) => {
            Ok(Value::Float8(first + part * (second - first)))
        }
        (Value::Interval(first), Value::Interval(second)) => {
            let apart = sum_of(*second, *first, true)?;
            sum_of(*first, times_interval(apart, part)?, false).map(Value::Interval)
        }
        _ => Ok(Value::Null),
    }
}

fn sum_of(
    a: varve_types::Interval,
    b: varve_types::Interval,
    minus: bool,
) -> Result<varve_types::Interval> {
    let (a, b) = (Value::Interval(a), Value::Interval(b));
    match crate::shifted_value(&a, &b, minus, &crate::Zone::UTC)? {
        Some(Value::Interval(sum)) => Ok(sum),
        _ => Err(Error::internal("a sum of intervals is none")),
    }
}

fn discrete(sorted: &[Value], fraction: f64) -> Result<Value> {
    let row = libm::ceil(fraction * double(sorted.len())).max(1.0);
    Ok(sorted.get(whole(row) - 1).cloned().unwrap_or(Value::Null))
}

fn at_fraction(sorted: &[Value], fraction: &Value, at: At) -> Result<Value> {
    let Some(fraction) = fraction.double() else {
        return Ok(Value::Null);
    };
    if !(0.0..=1.0).contains(&fraction) {
        return Err(Error::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("percentile value {fraction} is not between 0 and 1"),
        ));
    }
    at(sorted, fraction)
}

/// One value for a fraction, an array for an array of them.
fn percentile(state: &State, ty: LogicalType, at: At) -> Result<Value> {
    let Some((direct, sorted)) = state.values().split_first() else {
        return Ok(Value::Null);
    };
    let Value::Array(element, stored) = direct else {
        return at_fraction(sorted, direct, at);
    };
    let (Some(mut array), LogicalType::Array(of)) = (ArrayValue::decode(*element, stored), ty)
    else {
        return Err(Error::internal(
            "percentiles of something else than an array",
        ));
    };
    for value in &mut array.values {
        *value = at_fraction(sorted, value, at)?;
    }
    array.element = of;
    Ok(Value::array(&array))
}

pub(super) fn percentile_cont(state: &State, ty: LogicalType) -> Result<Value> {
    percentile(state, ty, continuous)
}

pub(super) fn percentile_disc(state: &State, ty: LogicalType) -> Result<Value> {
    percentile(state, ty, discrete)
}

/// The most frequent value, of several the first.
pub(super) fn mode(state: &State, _: LogicalType) -> Result<Value> {
    let (mut best, mut best_count) = (&Value::Null, 0);
    let same = |a: &Value, b: &Value| a.compare(b) == Some(Ordering::Equal);
    for run in state.values().chunk_by(same) {
        if run.len() > best_count
            && let Some(first) = run.first()
        {
            (best, best_count) = (first, run.len());
        }
    }
    Ok(best.clone())
}

/// Compares a row with the hypothetical one: the arguments are that one, the row, and two bits a
/// column, the first for DESC, the second for NULLS FIRST.
pub(super) fn compare_row(state: &mut State, row: &Row<'_>) -> Result<()> {
    let columns = row.args.len() / 2;
    let flags = row.int8(2 * columns);
    let mut order = Ordering::Equal;
    let mut values = Vec::with_capacity(columns);
    for column in 0..columns {
        let (wanted, value) = (row.value(column), row.value(columns + column));
        let flags = flags >> (2 * column);
        let (descending, nulls_first) = (flags & 1 != 0, flags & 2 != 0);
        let of_column = match (value.is_null(), wanted.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) if nulls_first => Ordering::Less,
            (false, true) if !nulls_first => Ordering::Less,
            (false, false) => {
                let order = value.compare(&wanted).unwrap_or(Ordering::Equal);
                if descending { order.reverse() } else { order }
            }
            _ => Ordering::Greater,
        };
        order = order.then(of_column);
        values.push(value);
    }
    if !matches!(state, State::Ranks(_)) {
        *state = State::Ranks(Box::<Ranks>::default());
    }
    let State::Ranks(ranks) = state else {
        return Err(Error::internal("ranks that are none"));
    };
    ranks.rows += 1;
    match order {
        Ordering::Less => {
            let is_same = |(a, b): (&Value, &Value)| {
                a.compare(b) == Some(Ordering::Equal) || (a.is_null() && b.is_null())
            };
            let repeats = ranks.before > 0 && ranks.last.iter().zip(&values).all(is_same);
            ranks.before += 1;
            ranks.distinct_before += i64::from(!repeats);
        }
        Ordering::Equal => ranks.equal += 1,
        Ordering::Greater => {}
    }
    ranks.last = values;
    Ok(())
}

fn ranks(state: &State) -> (i64, i64, i64, i64) {
    match state {
        State::Ranks(ranks) => (ranks.rows, ranks.before, ranks.equal, ranks.distinct_before),
        _ => (0, 0, 0, 0),
    }
}

pub(super) fn rank(state: &State, _: LogicalType) -> Result<Value> {
    Ok(Value::Int8(ranks(state).1 + 1))
}

pub(super) fn dense_rank(state: &State, _: LogicalType) -> Result<Value> {
    Ok(Value::Int8(ranks(state).3 + 1))
}

#[expect(clippy::cast_precision_loss, reason = "counts of rows are below 2^53")]
fn share(part: i64, whole: i64) -> Value {
    Value::Float8(part as f64 / whole as f64)
}

pub(super) fn percent_rank(state: &State, _: LogicalType) -> Result<Value> {
    Ok(match ranks(state) {
        (0, ..) => Value::Float8(0.0),
        (rows, before, ..) => share(before, rows),
    })
}

pub(super) fn cume_dist(state: &State, _: LogicalType) -> Result<Value> {
    let (rows, before, equal, _) = ranks(state);
    Ok(share(before + equal + 1, rows + 1))
}
