//! CAST of values and columns.

use varve_types::{
    Column, ColumnBuilder, ColumnData, ColumnRef, Error, LogicalType, Result, SqlState, Value,
};

use super::parse::parse_value;
use super::write::write_as_text;
use crate::datetime::{midnight_us, split_day};
use crate::resolve::{assignment_cast_allowed, explicit_cast_allowed};

/// Converts a value as `CAST` does when `explicit`, else only where assignment would; `42846` where
/// neither does.
pub fn cast_value(value: &Value, to: LogicalType, explicit: bool) -> Result<Value> {
    let Some(from) = value.logical_type() else {
        return Ok(Value::Null);
    };
    let allowed = if explicit {
        explicit_cast_allowed(from, to)
    } else {
        assignment_cast_allowed(from, to)
    };
    if !allowed {
        return Err(cannot_cast(from, to));
    }
    convert(value, to)
}

/// Converts a column as `CAST` does. The column is plain or constant.
pub(crate) fn cast_column(column: &ColumnRef, to: LogicalType) -> Result<Column> {
    let from = column.logical_type();
    if !explicit_cast_allowed(from, to) {
        return Err(cannot_cast(from, to));
    }
    if let Some(same) = same_layout(from, to).then(|| column.retyped(to)).flatten() {
        return Ok(same);
    }
    if let Some(widened) = widen(column, to) {
        return Ok(widened);
    }
    let mut builder = ColumnBuilder::with_capacity(to, column.len());
    let mut text = String::new();
    for row in 0..column.len() {
        if let Some(input) = column.str_at(row) {
            builder.push(&parse_value(input, to)?);
            continue;
        }
        let value = column.value(row);
        if to == LogicalType::Text && !value.is_null() {
            text.clear();
            write_as_text(&value, &mut text);
            builder.push_str(&text);
        } else {
            builder.push(&convert(&value, to)?);
        }
    }
    Ok(builder.finish())
}

fn cannot_cast(from: LogicalType, to: LogicalType) -> Error {
    Error::new(
        SqlState::CANNOT_COERCE,
        format!("cannot cast type {from} to {to}"),
    )
}

/// With the time zone UTC, timestamps with and without one are the same number.
fn same_layout(from: LogicalType, to: LogicalType) -> bool {
    use LogicalType::{Timestamp, TimestampTz};
    from == to
        || matches!(
            (from, to),
            (Timestamp, TimestampTz) | (TimestampTz, Timestamp)
        )
}

/// Conversions of plain columns that cannot fail.
fn widen(column: &Column, to: LogicalType) -> Option<Column> {
    let data = match (column.data(), column.logical_type(), to) {
        (ColumnData::Int32(values), LogicalType::Int4, LogicalType::Int8) => {
            ColumnData::Int64(values.iter().map(|value| i64::from(*value)).collect())
        }
        (ColumnData::Int32(values), LogicalType::Int4, LogicalType::Float8) => {
            ColumnData::Float64(values.iter().map(|value| f64::from(*value)).collect())
        }
        (ColumnData::Int64(values), LogicalType::Int8, LogicalType::Float8) => {
            ColumnData::Float64(values.iter().map(|value| nearest_double(*value)).collect())
        }
        _ => return None,
    };
    Column::plain(to, data, column.validity().cloned())
}

/// The conversions themselves. Those that are only allowed by assignment or explicitly are among
/// them.
fn convert(value: &Value, to: LogicalType) -> Result<Value> {
    use LogicalType as T;
    Ok(match (value, to) {
        (Value::Null, _) => Value::Null,
        (same, to) if same.logical_type() == Some(to) => same.clone(),
        (Value::Text(text), to) => parse_value(text, to)?,
        (other, T::Text) => {
            let mut text = String::new();
            write_as_text(other, &mut text);
            Value::text(text)
        }
        (Value::Boolean(bit), T::Int4) => Value::Int4(i32::from(*bit)),
        (Value::Int4(number), T::Boolean) => Value::Boolean(*number != 0),
        (Value::Int4(number), T::Int8) => Value::Int8(i64::from(*number)),
        (Value::Int4(number), T::Float8) => Value::Float8(f64::from(*number)),
        (Value::Int8(number), T::Int4) => {
            Value::Int4(i32::try_from(*number).map_err(|_| out_of_range("integer"))?)
        }
        (Value::Int8(number), T::Float8) => Value::Float8(nearest_double(*number)),
        (Value::Float8(number), T::Int4) => Value::Int4(
            round_to_integer(*number)
                .and_then(|rounded| i32::try_from(rounded).ok())
                .ok_or_else(|| out_of_range("integer"))?,
        ),
        (Value::Float8(number), T::Int8) => {
            Value::Int8(round_to_integer(*number).ok_or_else(|| out_of_range("bigint"))?)
        }
        (Value::Date(date), T::Timestamp) => Value::Timestamp(midnight_us(*date)?),
        (Value::Date(date), T::TimestampTz) => Value::TimestampTz(midnight_us(*date)?),
        (Value::Timestamp(us) | Value::TimestampTz(us), T::Date) => {
            // A timestamp's day always fits: its range is within that of dates.
            Value::Date(i32::try_from(split_day(*us).0).unwrap_or_default())
        }
        (Value::Timestamp(us), T::TimestampTz) => Value::TimestampTz(*us),
        (Value::TimestampTz(us), T::Timestamp) => Value::Timestamp(*us),
        (other, to) => {
            let from = other.logical_type().unwrap_or(to);
            return Err(cannot_cast(from, to));
        }
    })
}

fn out_of_range(type_name: &str) -> Error {
    Error::new(
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("{type_name} out of range"),
    )
}

#[expect(
    clippy::cast_precision_loss,
    reason = "SQL's conversion rounds to the nearest double"
)]
fn nearest_double(number: i64) -> f64 {
    number as f64
}

/// Half to even; `None` for NaN and outside bigint.
fn round_to_integer(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    let rounded = libm::rint(number);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked just before"
    )]
    (-LIMIT..LIMIT).contains(&rounded).then_some(rounded as i64)
}
