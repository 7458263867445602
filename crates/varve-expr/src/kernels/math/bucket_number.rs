//! `width_bucket(operand, low, high, count)`

use core::cmp::Ordering;

use varve_types::{Decimal, Error, Result, SqlState, Value};

use super::arithmetic::out_of_range;
use crate::tree::Row;

fn invalid(message: &str) -> Error {
    Error::new(SqlState::INVALID_ARGUMENT_FOR_WIDTH_BUCKET, message)
}

/// The place of an operand: before the buckets, behind them, or among them.
fn place(row: &Row<'_>, low: Ordering, high: Ordering, bounds: Ordering) -> Result<Option<Value>> {
    let count = row.int4(3);
    let (before, behind) = match bounds {
        Ordering::Less => (low.is_lt(), high.is_ge()),
        Ordering::Greater => (low.is_gt(), high.is_le()),
        Ordering::Equal => return Err(invalid("lower bound cannot equal upper bound")),
    };
    let last = count.checked_add(1).ok_or_else(|| out_of_range("integer"));
    Ok(match (before, behind) {
        (true, _) => Some(Value::Int4(0)),
        (_, true) => Some(Value::Int4(last?)),
        _ => None,
    })
}

fn check(row: &Row<'_>, is_nan: bool, is_infinite: bool) -> Result<()> {
    if row.int4(3) <= 0 {
        return Err(invalid("count must be greater than zero"));
    }
    if is_nan {
        let message = "operand, lower bound, and upper bound cannot be NaN";
        return Err(invalid(message));
    }
    if is_infinite {
        return Err(invalid("lower and upper bounds must be finite"));
    }
    Ok(())
}

pub(in crate::kernels) fn of_float8(row: &Row<'_>) -> Result<Value> {
    let (operand, low, high) = (row.float8(0), row.float8(1), row.float8(2));
    let is_nan = [operand, low, high].iter().any(|number| number.is_nan());
    check(row, is_nan, low.is_infinite() || high.is_infinite())?;
    let order = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    let place = place(
        row,
        order(operand, low),
        order(operand, high),
        order(low, high),
    )?;
    if let Some(place) = place {
        return Ok(place);
    }
    let count = row.int4(3);
    let share = if (high - low).is_finite() {
        (operand - low) / (high - low)
    } else {
        // Halves keep the width of the widest bounds finite.
        (operand / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
    };
    let whole = libm::floor(share * f64::from(count));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the share is between 0 and 1"
    )]
    let bucket = whole as i32;
    Ok(Value::Int4(bucket.min(count - 1) + 1))
}

pub(in crate::kernels) fn of_numeric(row: &Row<'_>) -> Result<Value> {
    let (operand, low, high) = (row.decimal(0), row.decimal(1), row.decimal(2));
    let is_nan = [operand, low, high].iter().any(|number| number.is_nan());
    check(row, is_nan, !low.is_finite() || !high.is_finite())?;
    let orders = (
        operand.compare(low),
        operand.compare(high),
        low.compare(high),
    );
    if let Some(place) = place(row, orders.0, orders.1, orders.2)? {
        return Ok(place);
    }
    let count = row.int4(3);
    let scaled = operand.minus(low)?.times(Decimal::from(i64::from(count)))?;
    let bucket = scaled.quotient_truncated(high.minus(low)?)?.to_i64();
    let bucket = bucket.and_then(|bucket| i32::try_from(bucket).ok());
    let bucket = bucket.ok_or_else(|| out_of_range("integer"))?;
    Ok(Value::Int4(bucket.min(count - 1) + 1))
}
