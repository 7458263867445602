//! CAST of values and columns.

use varve_types::{
    ArrayValue, Column, ColumnBuilder, ColumnData, ColumnRef, Decimal, DecimalData, Error, Json,
    LogicalType, Result, SqlState, TypeMod, Value, nearest_f32, parse_f32, unpadded,
};

use super::length::coerce_length;
use super::parse::parse_value;
use super::row::convert_row;
use super::write::write_as_text;
use crate::conversions::{assignment_cast_allowed, explicit_cast_allowed};
use crate::datetime::{convert_moment, is_zone_conversion};
use crate::json::write_json;
use crate::kernels::checked_float;
use crate::tree::Locale;

/// Converts a value as `CAST` does when `explicit`, else only where assignment would; `42846` where
/// neither does.
pub fn cast_value(
    value: &Value,
    to: LogicalType,
    explicit: bool,
    locale: &Locale,
) -> Result<Value> {
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
    convert(value, to, locale)
}

/// Converts a column as `CAST` does, or where not `explicit`, as assignment does. The column is
/// plain or constant.
pub(crate) fn cast_column(
    column: &ColumnRef,
    to: LogicalType,
    modifier: TypeMod,
    explicit: bool,
    locale: &Locale,
) -> Result<Column> {
    let cast = cast_to_type(column, to, locale)?;
    if modifier.is_none() {
        return Ok(cast);
    }
    let mut builder = ColumnBuilder::with_capacity(to, cast.len());
    for row in 0..cast.len() {
        builder.push(&coerce_length(cast.value(row), to, modifier, explicit)?);
    }
    Ok(builder.finish())
}

fn cast_to_type(column: &ColumnRef, to: LogicalType, locale: &Locale) -> Result<Column> {
    let from = column.logical_type();
    if !explicit_cast_allowed(from, to) {
        return Err(cannot_cast(from, to));
    }
    let changes_clocks = is_zone_conversion(from, to) && !locale.zone.is_utc();
    if let Some(same) = (!changes_clocks && same_layout(from, to))
        .then(|| column.retyped(to))
        .flatten()
    {
        return Ok(same);
    }
    if let Some(widened) = widen(column, to) {
        return Ok(widened);
    }
    let mut builder = ColumnBuilder::with_capacity(to, column.len());
    let mut text = String::new();
    for row in 0..column.len() {
        if let Some(input) = column.str_at(row) {
            let input = match from {
                LogicalType::Bpchar => unpadded(input),
                _ => input,
            };
            builder.push(&parse_value(input, to, locale)?);
            continue;
        }
        let value = column.value(row);
        if to.is_string() && !value.is_null() {
            text.clear();
            write_as_text(&value, locale, &mut text);
            builder.push_str(&text);
        } else {
            builder.push(&convert(&value, to, locale)?);
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

/// Types whose values are held alike and need no check. With the time zone UTC, timestamps with and
/// without one are the same number.
fn same_layout(from: LogicalType, to: LogicalType) -> bool {
    use LogicalType::{
        Float4, Float8, Int2, Int4, Json, Jsonpath, Name, Text, Timestamp, TimestampTz, Varchar,
    };
    from == to
        || matches!(
            (from, to),
            (Timestamp, TimestampTz)
                | (TimestampTz, Timestamp)
                | (Int2, Int4)
                | (Float4, Float8)
                | (Text | Varchar | Json | Jsonpath | Name, Text | Varchar)
        )
}

/// Conversions of plain columns that cannot fail.
fn widen(column: &Column, to: LogicalType) -> Option<Column> {
    use LogicalType as T;
    let from = column.logical_type();
    if !matches!(from, T::Int2 | T::Int4 | T::Int8) {
        return None;
    }
    let data = match (column.data(), to) {
        (ColumnData::Int32(values), T::Int8) => {
            ColumnData::Int64(values.iter().map(|value| i64::from(*value)).collect())
        }
        (ColumnData::Int32(values), T::Float8) => {
            ColumnData::Float64(values.iter().map(|value| f64::from(*value)).collect())
        }
        (ColumnData::Int64(values), T::Float8) => {
            ColumnData::Float64(values.iter().map(|value| nearest_double(*value)).collect())
        }
        (ColumnData::Int32(values), T::Numeric) => {
            let mantissas = values.iter().map(|value| i128::from(*value)).collect();
            ColumnData::Decimal(DecimalData::of_scale(mantissas, 0))
        }
        (ColumnData::Int64(values), T::Numeric) => {
            let mantissas = values.iter().map(|value| i128::from(*value)).collect();
            ColumnData::Decimal(DecimalData::of_scale(mantissas, 0))
        }
        _ => return None,
    };
    Column::plain(to, data, column.validity().cloned())
}

/// The conversions themselves. Those that are only allowed by assignment or explicitly are among
/// them.
fn convert(value: &Value, to: LogicalType, locale: &Locale) -> Result<Value> {
    use LogicalType as T;
    Ok(match (value, to) {
        (same, to)
            if same.is_of(to)
                && !matches!(
                    (same, to),
                    (Value::Text(_), T::Json | T::Jsonpath | T::Name)
                ) =>
        {
            same.clone()
        }
        (Value::Text(text), to) => parse_value(text, to, locale)?,
        (Value::Bpchar(text), to) => parse_value(unpadded(text), to, locale)?,
        (other, T::Text | T::Varchar | T::Bpchar | T::Name) => {
            let mut text = String::new();
            write_as_text(other, locale, &mut text);
            Value::of_str(to, &text).unwrap_or(Value::Null)
        }
        (Value::Boolean(bit), T::Int4) => Value::Int4(i32::from(*bit)),
        (Value::Int4(number), T::Boolean) => Value::Boolean(*number != 0),
        (Value::Array(from, stored), T::Array(element)) => {
            let array = ArrayValue::read(*from, stored)?;
            let values = array.values.iter();
            let values = values.map(|value| convert(value, element.logical(), locale));
            Value::array(&ArrayValue {
                element,
                dimensions: array.dimensions,
                values: values.collect::<Result<_>>()?,
            })
        }
        (Value::Row(_, stored), T::Row(to)) => convert_row(stored, to, locale, convert)?,
        (Value::Jsonb(stored), to) => {
            let json = Json::decode(stored).ok_or_else(|| Error::corrupted("a jsonb value"))?;
            convert_json(&json, to, locale)?
        }
        (
            Value::Int2(_)
            | Value::Int4(_)
            | Value::Int8(_)
            | Value::Oid(_)
            | Value::Reg(..)
            | Value::Float4(_)
            | Value::Float8(_)
            | Value::Numeric(_),
            to,
        ) if to.category() == b'N' => convert_number(value, to)?,
        (
            Value::Date(_)
            | Value::Time(_)
            | Value::Timestamp(_)
            | Value::TimestampTz(_)
            | Value::Interval(_),
            T::Date | T::Time | T::Timestamp | T::TimestampTz | T::Interval,
        ) => convert_moment(value, to, &locale.zone)?
            .ok_or_else(|| cannot_cast(value.logical_type().unwrap_or(to), to))?,
        (other, to) => {
            let from = other.logical_type().unwrap_or(to);
            return Err(cannot_cast(from, to));
        }
    })
}

/// From any number to any other, rounded where it has to be: doubles half to even, numerics half
/// away from 0.
fn convert_number(value: &Value, to: LogicalType) -> Result<Value> {
    let range = || out_of_range(to.name());
    match to {
        LogicalType::Float4 | LogicalType::Float8 => {
            let number = match (value, value.double()) {
                (_, Some(number)) => number,
                (Value::Numeric(number), _) => number.to_f64(),
                (other, _) => nearest_double(other.integer().unwrap_or(0)),
            };
            if to == LogicalType::Float8 {
                return Ok(Value::Float8(number));
            }
            let narrow = match value {
                Value::Numeric(number) => parse_f32(&number.to_string()).unwrap_or(f32::NAN),
                _ => nearest_f32(number),
            };
            checked_float(f64::from(narrow), &[number], number != 0.0)?;
            Ok(Value::Float4(narrow))
        }
        LogicalType::Numeric => Ok(Value::Numeric(match value {
            Value::Float4(number) => Decimal::from_f32(*number)?,
            Value::Float8(number) => Decimal::from_f64(*number)?,
            other => Decimal::from(other.integer().unwrap_or(0)),
        })),
        _ => {
            let integer = match value {
                Value::Numeric(number) if !number.is_finite() => {
                    let what = if number.is_nan() { "NaN" } else { "infinity" };
                    return Err(Error::new(
                        SqlState::FEATURE_NOT_SUPPORTED,
                        format!("cannot convert {what} to {to}"),
                    ));
                }
                Value::Numeric(number) => number.to_i64(),
                other => match other.double() {
                    Some(number) => round_to_integer(number),
                    None => other.integer(),
                },
            };
            let value = integer.and_then(|integer| Value::of_integer(to, integer));
            value.ok_or_else(|| match to {
                to if to == LogicalType::Oid || to.is_reg() => out_of_range("OID"),
                _ => range(),
            })
        }
    }
}

fn convert_json(json: &Json, to: LogicalType, locale: &Locale) -> Result<Value> {
    let kind = match (json, to) {
        (Json::Boolean(bit), LogicalType::Boolean) => return Ok(Value::Boolean(*bit)),
        (Json::Number(number), to) if to.is_numeric() => {
            return convert(&Value::Numeric(*number), to, locale);
        }
        (_, LogicalType::Json) => {
            let mut text = String::new();
            write_json(json, &mut text);
            return Ok(Value::text(text));
        }
        (Json::Null, _) => "null",
        (Json::Boolean(_), _) => "boolean",
        (Json::Number(_), _) => "numeric",
        (Json::String(_), _) => "string",
        (Json::Array(_), _) => "array",
        (Json::Object(_), _) => "object",
    };
    Err(Error::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("cannot cast jsonb {kind} to type {to}"),
    ))
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
