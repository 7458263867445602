//! Conversions among dates, times, timestamps and intervals.

use varve_types::{Error, Interval, LogicalType, Result, SqlState, Value};

use super::civil::{DAY_US, check_timestamp, midnight_us, split_day};
use super::{INFINITY_US, MINUS_INFINITY_US, Zone};

/// Whether a conversion depends on the time zone.
pub(crate) fn is_zone_conversion(from: LogicalType, to: LogicalType) -> bool {
    let has_zone = |ty| ty == LogicalType::TimestampTz;
    has_zone(from) != has_zone(to)
}

/// The moment at which clocks of the zone show a time.
pub(crate) fn in_zone(local_us: i64, zone: &Zone) -> Result<i64> {
    if is_infinite(local_us) {
        return Ok(local_us);
    }
    check_timestamp(i128::from(zone.utc_us(local_us)))
}

/// What clocks of the zone show at a moment.
pub(crate) fn out_of_zone(us: i64, zone: &Zone) -> Result<i64> {
    if is_infinite(us) {
        return Ok(us);
    }
    check_timestamp(i128::from(zone.local_us(us)))
}

/// Whether a timestamp is one of the infinite ones.
pub(crate) fn is_infinite(us: i64) -> bool {
    matches!(us, INFINITY_US | MINUS_INFINITY_US)
}

/// Midnight at the start of a date, on clocks.
pub(crate) fn timestamp_of_date(date: i32) -> Result<i64> {
    match date {
        i32::MAX => Ok(INFINITY_US),
        i32::MIN => Ok(MINUS_INFINITY_US),
        date => midnight_us(date),
    }
}

/// The day of a timestamp.
pub(crate) fn date_of_timestamp(local_us: i64) -> i32 {
    match local_us {
        INFINITY_US => i32::MAX,
        MINUS_INFINITY_US => i32::MIN,
        // It always fits: the range of timestamps is within that of dates.
        us => i32::try_from(split_day(us).0).unwrap_or_default(),
    }
}

/// A value as another of these types; `None` where there is no such conversion.
pub(crate) fn convert_moment(value: &Value, to: LogicalType, zone: &Zone) -> Result<Option<Value>> {
    use LogicalType as T;
    Ok(Some(match (value, to) {
        (Value::Date(date), T::Timestamp) => Value::Timestamp(timestamp_of_date(*date)?),
        (Value::Date(date), T::TimestampTz) => {
            Value::TimestampTz(in_zone(timestamp_of_date(*date)?, zone)?)
        }
        (Value::Timestamp(us), T::Date) => Value::Date(date_of_timestamp(*us)),
        (Value::TimestampTz(us), T::Date) => {
            Value::Date(date_of_timestamp(out_of_zone(*us, zone)?))
        }
        // Infinite timestamps have no time of day.
        (Value::Timestamp(us) | Value::TimestampTz(us), T::Time) if is_infinite(*us) => Value::Null,
        (Value::Timestamp(us), T::Time) => Value::Time(split_day(*us).1),
        (Value::TimestampTz(us), T::Time) => Value::Time(split_day(zone.local_us(*us)).1),
        (Value::Timestamp(us), T::TimestampTz) => Value::TimestampTz(in_zone(*us, zone)?),
        (Value::TimestampTz(us), T::Timestamp) => Value::Timestamp(out_of_zone(*us, zone)?),
        (Value::Time(us), T::Interval) => Value::Interval(Interval {
            us: *us,
            ..Interval::default()
        }),
        (Value::Interval(interval), T::Time) => Value::Time(interval.us.rem_euclid(DAY_US)),
        _ => return Ok(None),
    }))
}

/// `22008`
pub(crate) fn timestamp_out_of_range() -> Error {
    Error::new(SqlState::DATETIME_FIELD_OVERFLOW, "timestamp out of range")
}
