//! Dates, times and intervals from their parts.

use varve_types::{Error, Interval, Result, SqlState, Value};

use super::arithmetic::rounded_i64;
use super::zone::named_at;
use crate::datetime::{
    Civil, DAY_US, HOUR_US, INFINITY_US, MINUS_INFINITY_US, SECOND_US, Zone, check_date,
    check_timestamp, in_zone, interval_out_of_range, offset_of_text,
};
use crate::format_value;
use crate::tree::{DEFAULT_LOCALE, Row};

fn overflow(message: String) -> Error {
    Error::new(SqlState::DATETIME_FIELD_OVERFLOW, message)
}

/// The day of the first three arguments; a negative year is one BC. Errors show the year `shown`.
fn day(row: &Row<'_>, shown: i64) -> Result<i32> {
    let (year, month, day) = (row.int8(0), row.int8(1), row.int8(2));
    let failed = |what| overflow(format!("{what} out of range: {shown}-{month:02}-{day:02}"));
    let civil = Civil {
        year: if year < 0 { year + 1 } else { year },
        month,
        day,
    };
    let is_year = year != 0 && year != i64::from(i32::MIN);
    if !is_year || !(1..=31).contains(&day) || !civil.is_sound() {
        return Err(failed("date field value"));
    }
    check_date(civil.days()).map_err(|_| failed("date"))
}

/// `7`, `7.5`, `07.5`: seconds as C's `%02g` writes them.
fn seconds_text(seconds: f64) -> String {
    let text = format_value(&Value::Float8(seconds), &DEFAULT_LOCALE);
    format!("{text:0>2}")
}

/// The time of three arguments.
fn time(row: &Row<'_>, at: usize) -> Result<i64> {
    let (hour, minute, second) = (row.int8(at), row.int8(at + 1), row.float8(at + 2));
    let us = rounded_i64(libm::rint(second * 1e6));
    let us = us.filter(|us| (0..=60 * SECOND_US).contains(us));
    let whole = (hour * 60 + minute) * 60 * SECOND_US;
    let is_sound = (0..=24).contains(&hour) && (0..60).contains(&minute);
    let found = us
        .map(|us| whole + us)
        .filter(|us| is_sound && *us <= DAY_US);
    found.ok_or_else(|| {
        let seconds = seconds_text(second);
        overflow(format!(
            "time field value out of range: {hour}:{minute:02}:{seconds}"
        ))
    })
}

pub(in crate::kernels) fn make_date(row: &Row<'_>) -> Result<Value> {
    // PostgreSQL shows the astronomical year, of which there is none for the least integer.
    let year = row.int8(0);
    let has_other = year < 0 && year != i64::from(i32::MIN);
    day(row, year + i64::from(has_other)).map(Value::Date)
}

pub(in crate::kernels) fn make_time(row: &Row<'_>) -> Result<Value> {
    time(row, 0).map(Value::Time)
}

fn timestamp(row: &Row<'_>) -> Result<i64> {
    let (day, time) = (day(row, row.int8(0))?, time(row, 3)?);
    check_timestamp(i128::from(day) * i128::from(DAY_US) + i128::from(time)).map_err(|_| {
        let (year, month, day) = (row.int8(0), row.int8(1), row.int8(2));
        let (hour, minute) = (row.int8(3), row.int8(4));
        let seconds = seconds_text(row.float8(5));
        overflow(format!(
            "timestamp out of range: {year}-{month:02}-{day:02} {hour}:{minute:02}:{seconds}"
        ))
    })
}

pub(in crate::kernels) fn make_timestamp(row: &Row<'_>) -> Result<Value> {
    timestamp(row).map(Value::Timestamp)
}

/// In the zone of the session, or that of a seventh argument.
pub(in crate::kernels) fn make_timestamptz(row: &Row<'_>) -> Result<Value> {
    let local_us = timestamp(row)?;
    let us = match row.args.len() {
        7 => in_zone(local_us, &named_zone(row.text(6), local_us)?)?,
        _ => in_zone(local_us, row.zone())?,
    };
    Ok(Value::TimestampTz(us))
}

/// A zone by its name, or an offset that needs its sign.
fn named_zone(text: &str, local_us: i64) -> Result<Zone> {
    let invalid = |message: String, hint: Option<&str>| {
        let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
        hint.into_iter()
            .fold(error, |error, hint| error.with_hint(hint))
    };
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(invalid(
            format!("invalid input syntax for type numeric time zone: \"{text}\""),
            Some("Numeric time zones must have \"-\" or \"+\" as first character."),
        ));
    }
    if text.starts_with(['+', '-']) {
        let offset_s = offset_of_text(text);
        return offset_s
            .map_err(|is_range| match is_range {
                true => invalid(format!("numeric time zone \"{text}\" out of range"), None),
                false => invalid(format!("time zone \"{text}\" not recognized"), None),
            })
            .and_then(|offset_s| Zone::of_offset(offset_s).ok_or_else(interval_out_of_range));
    }
    named_at(text, local_us, true)
}

/// `make_interval(years, months, weeks, days, hours, mins, secs)`
pub(in crate::kernels) fn make_interval(row: &Row<'_>) -> Result<Value> {
    let months = row.int8(0) * 12 + row.int8(1);
    let days = row.int8(2) * 7 + row.int8(3);
    let seconds = rounded_i64(libm::rint(row.float8(6) * 1e6));
    let us = row.int8(4) * HOUR_US + row.int8(5) * 60 * SECOND_US;
    let us = seconds.and_then(|seconds| us.checked_add(seconds));
    let (months, days) = (i32::try_from(months).ok(), i32::try_from(days).ok());
    let parts = months.zip(days).zip(us);
    let found = parts.map(|((months, days), us)| Interval { months, days, us });
    found.map(Value::Interval).ok_or_else(interval_out_of_range)
}

/// `to_timestamp(seconds)`: seconds since 1970-01-01 00:00 UTC.
pub(in crate::kernels) fn to_timestamp(row: &Row<'_>) -> Result<Value> {
    /// PostgreSQL counts from 2000, and rounds there.
    const SECONDS_TO_2000: i64 = 946_684_800;
    let seconds = row.float8(0);
    if seconds.is_nan() {
        return Err(overflow("timestamp cannot be NaN".to_owned()));
    }
    if seconds.is_infinite() {
        let is_late = seconds > 0.0;
        return Ok(Value::TimestampTz(if is_late {
            INFINITY_US
        } else {
            MINUS_INFINITY_US
        }));
    }
    let us = rounded_i64(libm::rint((seconds - 946_684_800.0) * 1e6));
    let us = us.map(|us| i128::from(us) + i128::from(SECONDS_TO_2000) * i128::from(SECOND_US));
    let found = us.and_then(|us| check_timestamp(us).ok());
    found.map(Value::TimestampTz).ok_or_else(|| {
        let text = format_value(&Value::Float8(seconds), &DEFAULT_LOCALE);
        overflow(format!("timestamp out of range: \"{text}\""))
    })
}
