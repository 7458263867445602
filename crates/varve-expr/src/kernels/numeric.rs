//! Arithmetic of numeric, smallint, real and interval, row by row.

use varve_types::{Decimal, Error, Interval, LogicalType, Result, SqlState, Value, nearest_f32};

use super::arithmetic::{checked_float, division_by_zero, out_of_range};
use super::operand::Row;
use crate::datetime::{add_interval, check_timestamp};

/// The operators and functions of two numerics.
macro_rules! of_two {
    ($($name:ident $method:ident;)*) => {
        $(pub(super) fn $name(row: &Row<'_>) -> Result<Value> {
            row.decimal(0).$method(row.decimal(1)).map(Value::Numeric)
        })*
    };
}

of_two! {
    add plus;
    sub minus;
    mul times;
    div divided_by;
    rem remainder;
    div_whole quotient_truncated;
    power power;
}

/// The functions of one numeric.
macro_rules! of_one {
    ($($name:ident $method:ident;)*) => {
        $(pub(super) fn $name(row: &Row<'_>) -> Result<Value> {
            row.decimal(0).$method().map(Value::Numeric)
        })*
    };
}

of_one! {
    ceil ceiling;
    floor floor;
    sqrt square_root;
    exp exponential;
    ln logarithm;
}

pub(super) fn negate(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Numeric(row.decimal(0).negated()))
}

pub(super) fn absolute(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Numeric(row.decimal(0).absolute()))
}

pub(super) fn sign(row: &Row<'_>) -> Result<Value> {
    let number = row.decimal(0);
    Ok(Value::Numeric(if number.is_nan() {
        number
    } else {
        Decimal::from(number.signum())
    }))
}

/// The second argument, where there is one, is the number of places.
pub(super) fn round(row: &Row<'_>) -> Result<Value> {
    row.decimal(0).rounded(row.int4(1)).map(Value::Numeric)
}

pub(super) fn trunc(row: &Row<'_>) -> Result<Value> {
    row.decimal(0).truncated(row.int4(1)).map(Value::Numeric)
}

pub(super) fn log10(row: &Row<'_>) -> Result<Value> {
    let base = Decimal::from(10);
    row.decimal(0).logarithm_to_base(base).map(Value::Numeric)
}

pub(super) fn log_base(row: &Row<'_>) -> Result<Value> {
    row.decimal(1)
        .logarithm_to_base(row.decimal(0))
        .map(Value::Numeric)
}

/// The operators of two smallints.
macro_rules! of_int2 {
    ($($name:ident $method:ident;)*) => {
        $(pub(super) fn $name(row: &Row<'_>) -> Result<Value> {
            int2(row.int8(0).$method(row.int8(1)))
        })*
    };
}

of_int2! {
    add_int2 checked_add;
    sub_int2 checked_sub;
    mul_int2 checked_mul;
}

fn int2(number: Option<i64>) -> Result<Value> {
    let value = number.and_then(|number| Value::of_word(LogicalType::Int2, number));
    value.ok_or_else(|| out_of_range("smallint"))
}

pub(super) fn div_int2(row: &Row<'_>) -> Result<Value> {
    match row.int8(1) {
        0 => Err(division_by_zero()),
        divisor => int2(row.int8(0).checked_div(divisor)),
    }
}

pub(super) fn rem_int2(row: &Row<'_>) -> Result<Value> {
    match row.int8(1) {
        0 => Err(division_by_zero()),
        divisor => int2(row.int8(0).checked_rem(divisor)),
    }
}

pub(super) fn negate_int2(row: &Row<'_>) -> Result<Value> {
    int2(row.int8(0).checked_neg())
}

pub(super) fn abs_int2(row: &Row<'_>) -> Result<Value> {
    int2(row.int8(0).checked_abs())
}

/// A real: what doubles give, rounded once; the same as computing with reals.
fn real(result: f64, inputs: &[f64], must_not_vanish: bool) -> Result<Value> {
    let narrow = nearest_f32(result);
    checked_float(f64::from(narrow), inputs, must_not_vanish)?;
    Ok(Value::Float4(if narrow.is_nan() {
        f32::NAN
    } else {
        narrow
    }))
}

pub(super) fn add_float4(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.float8(0), row.float8(1));
    real(a + b, &[a, b], false)
}

pub(super) fn sub_float4(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.float8(0), row.float8(1));
    real(a - b, &[a, b], false)
}

pub(super) fn mul_float4(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.float8(0), row.float8(1));
    real(a * b, &[a, b], a != 0.0 && b != 0.0)
}

pub(super) fn div_float4(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.float8(0), row.float8(1));
    if b == 0.0 && !a.is_nan() {
        return Err(division_by_zero());
    }
    real(a / b, &[a], a != 0.0 && !b.is_infinite())
}

pub(super) fn negate_float4(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Float4(nearest_f32(-row.float8(0))))
}

pub(super) fn abs_float4(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Float4(nearest_f32(libm::fabs(row.float8(0)))))
}

fn interval(months: Option<i32>, days: Option<i32>, us: Option<i64>) -> Result<Value> {
    let parts = months.zip(days).zip(us);
    let found = parts.map(|((months, days), us)| Interval { months, days, us });
    found
        .map(Value::Interval)
        .ok_or_else(|| Error::new(SqlState::DATETIME_FIELD_OVERFLOW, "interval out of range"))
}

pub(super) fn add_intervals(row: &Row<'_>) -> Result<Value> {
    sum_of_intervals(row.interval(0), row.interval(1))
}

fn sum_of_intervals(a: Interval, b: Interval) -> Result<Value> {
    interval(
        a.months.checked_add(b.months),
        a.days.checked_add(b.days),
        a.us.checked_add(b.us),
    )
}

pub(super) fn sub_intervals(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.interval(0), row.interval(1));
    interval(
        a.months.checked_sub(b.months),
        a.days.checked_sub(b.days),
        a.us.checked_sub(b.us),
    )
}

pub(super) fn negate_interval(row: &Row<'_>) -> Result<Value> {
    negative(row.interval(0))
}

fn negative(a: Interval) -> Result<Value> {
    interval(
        a.months.checked_neg(),
        a.days.checked_neg(),
        a.us.checked_neg(),
    )
}

/// A timestamp of either kind and an interval, whichever comes first.
pub(super) fn timestamp_plus(row: &Row<'_>) -> Result<Value> {
    match (row.value(0), row.value(1)) {
        (Value::Interval(interval), moment) | (moment, Value::Interval(interval)) => {
            moved(&moment, interval)
        }
        _ => Err(Error::internal("a sum without an interval")),
    }
}

pub(super) fn timestamp_minus(row: &Row<'_>) -> Result<Value> {
    let Value::Interval(back) = negative(row.interval(1))? else {
        return Err(Error::internal("a difference without an interval"));
    };
    moved(&row.value(0), back)
}

fn moved(moment: &Value, interval: Interval) -> Result<Value> {
    const DAY_US: i64 = 86_400_000_000;
    match moment {
        Value::TimestampTz(us) => add_interval(*us, interval).map(Value::TimestampTz),
        Value::Date(days) => {
            add_interval(i64::from(*days).saturating_mul(DAY_US), interval).map(Value::Timestamp)
        }
        Value::Time(us) => {
            let of_day = us.wrapping_add(interval.us % DAY_US);
            Ok(Value::Time(of_day.rem_euclid(DAY_US)))
        }
        other => add_interval(other.word().unwrap_or(0), interval).map(Value::Timestamp),
    }
}

/// A value moved up or down by an offset: numerics by a numeric; timestamps, dates (which become
/// timestamps), times (which do not wrap) and intervals by an interval. `None` for other types.
pub fn shifted_value(value: &Value, by: &Value, down: bool) -> Result<Option<Value>> {
    if let (Value::Numeric(value), Value::Numeric(by)) = (value, by) {
        let by = if down { by.negated() } else { *by };
        return value.plus(by).map(Value::Numeric).map(Some);
    }
    let Value::Interval(by) = by else {
        return Ok(None);
    };
    let by = match down {
        false => *by,
        true => match negative(*by)? {
            Value::Interval(back) => back,
            _ => return Ok(None),
        },
    };
    match value {
        Value::Interval(value) => sum_of_intervals(*value, by).map(Some),
        Value::Time(us) => Ok(Some(Value::Time(us.saturating_add(by.us)))),
        Value::Date(_) | Value::Timestamp(_) | Value::TimestampTz(_) => moved(value, by).map(Some),
        _ => Ok(None),
    }
}

/// Days and the rest of the microseconds.
pub(super) fn timestamps_apart(row: &Row<'_>) -> Result<Value> {
    const DAY_US: i64 = 86_400_000_000;
    let us = row.int8(0).checked_sub(row.int8(1));
    let days = us.and_then(|us| i32::try_from(us / DAY_US).ok());
    interval(Some(0), days, us.map(|us| us % DAY_US))
}

pub(super) fn times_apart(row: &Row<'_>) -> Result<Value> {
    interval(Some(0), Some(0), row.int8(0).checked_sub(row.int8(1)))
}

/// A date and a time.
pub(super) fn date_plus_time(row: &Row<'_>) -> Result<Value> {
    let (day, time) = match (row.value(0), row.value(1)) {
        (Value::Time(time), Value::Date(day)) | (Value::Date(day), Value::Time(time)) => {
            (day, time)
        }
        _ => return Err(Error::internal("a sum without a date and a time")),
    };
    let us = i128::from(day) * 86_400_000_000 + i128::from(time);
    check_timestamp(us).map(Value::Timestamp)
}
