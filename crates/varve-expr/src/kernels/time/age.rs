//! Distances on the calendar, bins, and whether periods overlap.

use core::cmp::Ordering;

use varve_types::{Error, Interval, Result, SqlState, Value};

use crate::datetime::{
    Civil, DAY_US, Zone, add_interval_in, interval_out_of_range, is_infinite, split_day,
    timestamp_of_date, timestamp_out_of_range,
};
use crate::tree::Row;

/// `age(a, b)`: years, months and days on the calendar of the session, then time; `age(a)` counts
/// from the midnight that began today.
pub(in crate::kernels) fn age(row: &Row<'_>) -> Result<Value> {
    let locale = row.context.locale;
    let clock = |value: Value| match value {
        Value::TimestampTz(us) if !is_infinite(us) => locale.zone.local_us(us),
        other => other.integer().unwrap_or(0),
    };
    let (a, b) = if row.args.len() == 1 {
        let today = split_day(locale.local_now_us()).0 * DAY_US;
        (today, clock(row.value(0)))
    } else {
        (clock(row.value(0)), clock(row.value(1)))
    };
    if is_infinite(a) || is_infinite(b) {
        return Err(timestamp_out_of_range());
    }
    let (later, earlier) = if a < b { (b, a) } else { (a, b) };
    let ((later_day, later_us), (earlier_day, earlier_us)) = (split_day(later), split_day(earlier));
    let (from, to) = (Civil::from_days(earlier_day), Civil::from_days(later_day));
    let mut us = later_us - earlier_us;
    let mut days = to.day - from.day;
    let mut months = (to.year - from.year) * 12 + to.month - from.month;
    if us < 0 {
        us += DAY_US;
        days -= 1;
    }
    // Days of the month in which the later one lies before its own do not count: PostgreSQL takes
    // the length of the month of the second argument, or of the first where that is the earlier.
    let borrowed = Civil { day: 1, ..from };
    let next = Civil {
        year: borrowed.year + borrowed.month / 12,
        month: borrowed.month % 12 + 1,
        day: 1,
    };
    while days < 0 {
        days += next.days() - borrowed.days();
        months -= 1;
    }
    let sign = if a < b { -1 } else { 1 };
    let narrow = |number: i64| i32::try_from(number * sign).map_err(|_| interval_out_of_range());
    Ok(Value::Interval(Interval {
        months: narrow(months)?,
        days: narrow(days)?,
        us: us * sign,
    }))
}

fn overflow(message: &str) -> Error {
    Error::new(SqlState::DATETIME_FIELD_OVERFLOW, message)
}

/// `date_bin(stride, value, origin)`: the start of the stride that holds the value.
pub(in crate::kernels) fn date_bin(row: &Row<'_>) -> Result<Value> {
    let stride = row.interval(0);
    let (value, origin) = (row.int8(1), row.int8(2));
    let result = |us| Value::of_integer(row.result, us).unwrap_or(Value::Null);
    if is_infinite(value) {
        return Ok(result(value));
    }
    if is_infinite(origin) {
        return Err(overflow("origin out of range"));
    }
    if stride.months != 0 {
        return Err(Error::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            "timestamps cannot be binned into intervals containing months or years",
        ));
    }
    let days_us = i64::from(stride.days).checked_mul(DAY_US);
    let stride_us = days_us.and_then(|us| us.checked_add(stride.us));
    let stride_us = stride_us.ok_or_else(interval_out_of_range)?;
    if stride_us <= 0 {
        return Err(overflow("stride must be greater than zero"));
    }
    let distance = value.checked_sub(origin);
    let distance = distance.ok_or_else(interval_out_of_range)?;
    let start = distance.checked_sub(distance.rem_euclid(stride_us));
    let start = start.and_then(|start| start.checked_add(origin));
    start.map(result).ok_or_else(timestamp_out_of_range)
}

/// `(a, b) OVERLAPS (c, d)`: two ends each, or a start and a length; an end may be NULL.
pub(in crate::kernels) fn overlaps(row: &Row<'_>) -> Result<Value> {
    let (Some(first), Some(second)) = (period(row, 0)?, period(row, 2)?) else {
        return Ok(Value::Null);
    };
    let ((start, end), (other_start, other_end)) = (first, second);
    // Of the one that begins first the end decides, then that of the other.
    let after = |start: i64, end: Option<i64>| end.map(|end| start < end);
    Ok(match start.cmp(&other_start) {
        Ordering::Greater => decided(after(start, other_end), end.is_some()),
        Ordering::Less => decided(after(other_start, end), other_end.is_some()),
        Ordering::Equal if end.is_some() && other_end.is_some() => Value::Boolean(true),
        Ordering::Equal => Value::Null,
    })
}

fn decided(overlaps: Option<bool>, has_end: bool) -> Value {
    match overlaps {
        Some(true) => Value::Boolean(true),
        Some(false) if has_end => Value::Boolean(false),
        _ => Value::Null,
    }
}

/// A start and perhaps an end; `None` where both are unknown.
fn period(row: &Row<'_>, at: usize) -> Result<Option<(i64, Option<i64>)>> {
    let number = |value: &Value| match value {
        Value::Date(date) => timestamp_of_date(*date).map(Some),
        other => Ok(other.integer()),
    };
    let first = row.value(at);
    let start = number(&first)?;
    let end = match (row.value(at + 1), start) {
        (Value::Interval(_), None) => None,
        (Value::Interval(length), Some(start)) => match first {
            Value::Time(us) => Some((us + length.us % DAY_US).rem_euclid(DAY_US)),
            Value::TimestampTz(us) => Some(add_interval_in(us, length, row.zone())?),
            _ => Some(add_interval_in(start, length, &Zone::UTC)?),
        },
        (value, _) => number(&value)?,
    };
    Ok(match (start, end) {
        (Some(start), Some(end)) => Some((start.min(end), Some(start.max(end)))),
        (Some(one), None) | (None, Some(one)) => Some((one, None)),
        (None, None) => None,
    })
}
