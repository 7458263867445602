//! Arithmetic of dates, times, timestamps and intervals.

use varve_types::{Error, Interval, Result, SqlState, Value};

use super::zone::named;
use crate::datetime::{
    DAY_US, Zone, add_interval_in, check_date, check_timestamp, divided_interval,
    interval_out_of_range, is_infinite, times_interval, timestamp_of_date,
};
use crate::tree::Row;

fn overflow(message: &str) -> Error {
    Error::new(SqlState::DATETIME_FIELD_OVERFLOW, message)
}

/// An interval of checked parts.
fn interval(months: Option<i32>, days: Option<i32>, us: Option<i64>) -> Result<Interval> {
    let parts = months.zip(days).zip(us);
    let found = parts.map(|((months, days), us)| Interval { months, days, us });
    found.ok_or_else(interval_out_of_range)
}

fn sum(a: Interval, b: Interval) -> Result<Interval> {
    interval(
        a.months.checked_add(b.months),
        a.days.checked_add(b.days),
        a.us.checked_add(b.us),
    )
}

fn negative(a: Interval) -> Result<Interval> {
    interval(
        a.months.checked_neg(),
        a.days.checked_neg(),
        a.us.checked_neg(),
    )
}

pub(in crate::kernels) fn add_intervals(row: &Row<'_>) -> Result<Value> {
    sum(row.interval(0), row.interval(1)).map(Value::Interval)
}

pub(in crate::kernels) fn sub_intervals(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.interval(0), row.interval(1));
    let difference = interval(
        a.months.checked_sub(b.months),
        a.days.checked_sub(b.days),
        a.us.checked_sub(b.us),
    );
    difference.map(Value::Interval)
}

pub(in crate::kernels) fn negate_interval(row: &Row<'_>) -> Result<Value> {
    negative(row.interval(0)).map(Value::Interval)
}

/// A date and a number of days, whichever comes first.
pub(in crate::kernels) fn date_plus_days(row: &Row<'_>) -> Result<Value> {
    match (row.value(0), row.value(1)) {
        (Value::Date(date), Value::Int4(days)) | (Value::Int4(days), Value::Date(date)) => {
            date_plus(date, i64::from(days))
        }
        _ => Err(Error::internal("a sum without a date")),
    }
}

pub(in crate::kernels) fn date_minus_days(row: &Row<'_>) -> Result<Value> {
    date_plus(row.int4(0), -row.int8(1))
}

fn date_plus(date: i32, days: i64) -> Result<Value> {
    if matches!(date, i32::MAX | i32::MIN) {
        return Ok(Value::Date(date));
    }
    check_date(i64::from(date) + days).map(Value::Date)
}

pub(in crate::kernels) fn date_minus_date(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.int4(0), row.int4(1));
    if [a, b]
        .iter()
        .any(|date| matches!(*date, i32::MAX | i32::MIN))
    {
        return Err(overflow("cannot subtract infinite dates"));
    }
    Ok(Value::Int4(a - b))
}

/// A date, a time or a timestamp and an interval, whichever comes first.
pub(in crate::kernels) fn plus_interval(row: &Row<'_>) -> Result<Value> {
    match (row.value(0), row.value(1)) {
        (moment, Value::Interval(by)) | (Value::Interval(by), moment) => {
            moved(&moment, by, row.zone())
        }
        _ => Err(Error::internal("a sum without an interval")),
    }
}

pub(in crate::kernels) fn minus_interval(row: &Row<'_>) -> Result<Value> {
    moved(&row.value(0), negative(row.interval(1))?, row.zone())
}

/// `date_add(timestamptz, interval [, zone])`
pub(in crate::kernels) fn date_add(row: &Row<'_>) -> Result<Value> {
    moved_in_zone(row, row.interval(1))
}

pub(in crate::kernels) fn date_subtract(row: &Row<'_>) -> Result<Value> {
    moved_in_zone(row, negative(row.interval(1))?)
}

fn moved_in_zone(row: &Row<'_>, by: Interval) -> Result<Value> {
    match row.args.len() {
        3 => moved(&row.value(0), by, &named(row.text(2))?),
        _ => moved(&row.value(0), by, row.zone()),
    }
}

fn moved(moment: &Value, by: Interval, zone: &Zone) -> Result<Value> {
    match moment {
        Value::TimestampTz(us) => add_interval_in(*us, by, zone).map(Value::TimestampTz),
        Value::Date(days) => {
            let us = timestamp_of_date(*days)?;
            add_interval_in(us, by, &Zone::UTC).map(Value::Timestamp)
        }
        Value::Time(us) => {
            let of_day = us.wrapping_add(by.us % DAY_US);
            Ok(Value::Time(of_day.rem_euclid(DAY_US)))
        }
        other => {
            let us = other.integer().unwrap_or(0);
            add_interval_in(us, by, &Zone::UTC).map(Value::Timestamp)
        }
    }
}

/// A value moved up or down by an offset: numerics by a numeric; timestamps, dates (which become
/// timestamps), times (which do not wrap) and intervals by an interval. `None` for other types.
pub fn shifted_value(value: &Value, by: &Value, down: bool, zone: &Zone) -> Result<Option<Value>> {
    if let (Value::Numeric(value), Value::Numeric(by)) = (value, by) {
        let by = if down { by.negated() } else { *by };
        return value.plus(by).map(Value::Numeric).map(Some);
    }
    let Value::Interval(by) = by else {
        return Ok(None);
    };
    let by = if down { negative(*by)? } else { *by };
    match value {
        Value::Interval(value) => sum(*value, by).map(Value::Interval).map(Some),
        Value::Time(us) => Ok(Some(Value::Time(us.saturating_add(by.us)))),
        Value::Date(_) | Value::Timestamp(_) | Value::TimestampTz(_) => {
            moved(value, by, zone).map(Some)
        }
        _ => Ok(None),
    }
}

/// Days and the rest of the microseconds.
pub(in crate::kernels) fn timestamps_apart(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.int8(0), row.int8(1));
    if is_infinite(a) || is_infinite(b) {
        return Err(overflow("cannot subtract infinite timestamps"));
    }
    let us = a.checked_sub(b);
    let days = us.and_then(|us| i32::try_from(us / DAY_US).ok());
    interval(Some(0), days, us.map(|us| us % DAY_US)).map(Value::Interval)
}

pub(in crate::kernels) fn times_apart(row: &Row<'_>) -> Result<Value> {
    let us = row.int8(0).checked_sub(row.int8(1));
    interval(Some(0), Some(0), us).map(Value::Interval)
}

/// A date and a time, whichever comes first.
pub(in crate::kernels) fn date_plus_time(row: &Row<'_>) -> Result<Value> {
    let (day, time) = match (row.value(0), row.value(1)) {
        (Value::Time(time), Value::Date(day)) | (Value::Date(day), Value::Time(time)) => {
            (day, time)
        }
        _ => return Err(Error::internal("a sum without a date and a time")),
    };
    let us = timestamp_of_date(day)?;
    if is_infinite(us) {
        return Ok(Value::Timestamp(us));
    }
    check_timestamp(i128::from(us) + i128::from(time)).map(Value::Timestamp)
}

/// An interval and a number, whichever comes first.
pub(in crate::kernels) fn multiply(row: &Row<'_>) -> Result<Value> {
    match (row.value(0), row.value(1)) {
        (Value::Interval(span), Value::Float8(factor))
        | (Value::Float8(factor), Value::Interval(span)) => {
            times_interval(span, factor).map(Value::Interval)
        }
        _ => Err(Error::internal("a product without an interval")),
    }
}

pub(in crate::kernels) fn divide(row: &Row<'_>) -> Result<Value> {
    divided_interval(row.interval(0), row.float8(1)).map(Value::Interval)
}

/// A whole double as an integer; `None` outside bigint.
pub(super) fn rounded_i64(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked just before"
    )]
    (-LIMIT..LIMIT).contains(&number).then_some(number as i64)
}

/// `justify_hours`: hours beyond a day become days.
pub(in crate::kernels) fn justify_hours(row: &Row<'_>) -> Result<Value> {
    let span = row.interval(0);
    let days = i64::from(span.days) + span.us / DAY_US;
    let (days, us) = same_sign(days, span.us % DAY_US, DAY_US);
    interval(Some(span.months), i32::try_from(days).ok(), Some(us)).map(Value::Interval)
}

/// `justify_days`: days beyond 30 become months.
pub(in crate::kernels) fn justify_days(row: &Row<'_>) -> Result<Value> {
    let span = row.interval(0);
    let days = i64::from(span.days);
    let (months, days) = same_sign(i64::from(span.months) + days / 30, days % 30, 30);
    let months = i32::try_from(months).ok();
    interval(months, i32::try_from(days).ok(), Some(span.us)).map(Value::Interval)
}

/// `justify_interval`: both, with one sign for all parts.
pub(in crate::kernels) fn justify_interval(row: &Row<'_>) -> Result<Value> {
    let span = row.interval(0);
    let days = i64::from(span.days) + span.us / DAY_US;
    let mut us = span.us % DAY_US;
    let mut months = i64::from(span.months) + days / 30;
    let mut days = days % 30;
    if months > 0 && (days < 0 || (days == 0 && us < 0)) {
        (months, days) = (months - 1, days + 30);
    } else if months < 0 && (days > 0 || (days == 0 && us > 0)) {
        (months, days) = (months + 1, days - 30);
    }
    (days, us) = same_sign(days, us, DAY_US);
    let months = i32::try_from(months).ok();
    interval(months, i32::try_from(days).ok(), Some(us)).map(Value::Interval)
}

/// Gives the smaller part the sign of the larger one, of which `unit` of the smaller make one.
fn same_sign(large: i64, small: i64, unit: i64) -> (i64, i64) {
    if large > 0 && small < 0 {
        (large - 1, small + unit)
    } else if large < 0 && small > 0 {
        (large + 1, small - unit)
    } else {
        (large, small)
    }
}

/// `isfinite`
pub(in crate::kernels) fn is_finite(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Boolean(match row.value(0) {
        Value::Date(date) => !matches!(date, i32::MAX | i32::MIN),
        Value::Timestamp(us) | Value::TimestampTz(us) => !is_infinite(us),
        _ => true,
    }))
}
