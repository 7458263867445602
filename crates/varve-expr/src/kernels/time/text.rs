//! Templates: `to_char` of timestamps and intervals, `to_date`, `to_timestamp`.

use varve_types::{Result, Value};

use crate::datetime::{
    date_from_char, interval_to_char, is_infinite, timestamp_from_char, timestamp_to_char,
};
use crate::tree::Row;

/// `to_char(value, template)`; NULL for infinite values and an empty template.
pub(in crate::kernels) fn to_char(row: &Row<'_>) -> Result<Value> {
    let template = row.text(1);
    if template.is_empty() {
        return Ok(Value::Null);
    }
    let text = match row.value(0) {
        Value::Timestamp(us) | Value::TimestampTz(us) if is_infinite(us) => return Ok(Value::Null),
        Value::Timestamp(us) => timestamp_to_char(us, None, template)?,
        Value::TimestampTz(us) => {
            let zone = row.zone();
            timestamp_to_char(zone.local_us(us), Some(zone.at(us)), template)?
        }
        Value::Interval(interval) => interval_to_char(interval, template)?,
        _ => return Ok(Value::Null),
    };
    Ok(Value::text(text))
}

/// `to_date(text, template)`
pub(in crate::kernels) fn to_date(row: &Row<'_>) -> Result<Value> {
    date_from_char(row.text(0), row.text(1)).map(Value::Date)
}

/// `to_timestamp(text, template)`
pub(in crate::kernels) fn text_to_timestamp(row: &Row<'_>) -> Result<Value> {
    timestamp_from_char(row.text(0), row.text(1), row.zone()).map(Value::TimestampTz)
}
