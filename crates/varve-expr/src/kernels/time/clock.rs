//! What time it is.

use varve_types::{LogicalType, Result, TypeMod, Value};

use crate::cast::coerce_length;
use crate::datetime::{date_of_timestamp, split_day, write_timestamp};
use crate::tree::{DateOrder, DateStyle, Locale, Row};

/// The start of the transaction, as the type of the result; an argument is the number of digits of
/// seconds that are kept.
pub(in crate::kernels) fn now(row: &Row<'_>) -> Result<Value> {
    let locale = row.context.locale;
    let local_us = locale.local_now_us();
    let value = match row.result {
        LogicalType::Timestamp => Value::Timestamp(local_us),
        LogicalType::Date => Value::Date(date_of_timestamp(local_us)),
        LogicalType::Time => Value::Time(split_day(local_us).1),
        _ => Value::TimestampTz(locale.now_us),
    };
    if row.args.is_empty() {
        return Ok(value);
    }
    let digits = u8::try_from(row.int4(0).clamp(0, 6)).unwrap_or(6);
    coerce_length(value, row.result, TypeMod::of_seconds(digits), true)
}

pub(in crate::kernels) fn statement_timestamp(row: &Row<'_>) -> Result<Value> {
    Ok(Value::TimestampTz(row.context.locale.statement_us))
}

/// What time it is now.
fn clock_us(row: &Row<'_>) -> i64 {
    let host = row.context.host;
    host.map_or(row.context.locale.statement_us, |host| host.now_us())
}

pub(in crate::kernels) fn clock_timestamp(row: &Row<'_>) -> Result<Value> {
    Ok(Value::TimestampTz(clock_us(row)))
}

/// `Sat Nov 21 13:05:01.123456 2026 UTC`
pub(in crate::kernels) fn timeofday(row: &Row<'_>, out: &mut String) -> Result<()> {
    let locale = Locale {
        date_style: DateStyle::Postgres,
        date_order: DateOrder::Mdy,
        ..row.context.locale.clone()
    };
    write_timestamp(clock_us(row), true, &locale, out);
    Ok(())
}
