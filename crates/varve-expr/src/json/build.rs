//! JSON from values of other types.

use varve_types::{
    ArrayValue, Column, Error, JSON_DEPTH_MAX, Json, LogicalType, Result, RowValue, SqlState, Value,
};

use super::parse::{parse_json, too_deep};
use super::write::{write_json, write_string};
use crate::cast::write_value;
use crate::tree::Locale;

/// Appends a value as `to_json` gives it; an element of an array stands behind `separator`.
pub(crate) fn write_as_json(
    value: &Value,
    separator: &str,
    locale: &Locale,
    out: &mut String,
) -> Result<()> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(bit) => out.push_str(if *bit { "true" } else { "false" }),
        Value::Jsonb(stored) => write_json(&decoded(stored)?, out),
        Value::Array(element, stored) => {
            let array = ArrayValue::read(*element, stored)?;
            let mut values = array.values.iter();
            let lengths: Vec<usize> = array
                .dimensions
                .iter()
                .map(|dimension| dimension.length as usize)
                .collect();
            write_elements(&mut values, &lengths, separator, locale, out)?;
        }
        Value::Row(id, stored) => {
            let row = RowValue::read(stored)?;
            let names = locale.names.as_ref();
            let names = names.and_then(|names| names.0.row_fields(*id));
            let names = names.unwrap_or_default();
            out.push('{');
            for (at, (ty, value)) in row.fields.iter().enumerate() {
                if at > 0 {
                    out.push_str(separator);
                }
                match names.get(at) {
                    Some((name, ..)) => write_string(name, out),
                    None => write_string(&format!("f{}", at + 1), out),
                }
                out.push(':');
                match value.str().filter(|_| *ty == LogicalType::Json) {
                    Some(text) => out.push_str(text),
                    None => write_as_json(value, ",", locale, out)?,
                }
            }
            out.push('}');
        }
        other => {
            let mut text = String::new();
            write_value(other, locale, &mut text);
            if is_bare(other, &text) {
                out.push_str(&text);
            } else {
                write_string(&dated(other, text), out);
            }
        }
    }
    Ok(())
}

/// Appends row `row` of a column; `json` stays as it is written.
pub(crate) fn write_cell_as_json(
    column: &Column,
    row: usize,
    separator: &str,
    locale: &Locale,
    out: &mut String,
) -> Result<()> {
    match (column.logical_type(), column.str_at(row)) {
        (LogicalType::Json, Some(text)) => out.push_str(text),
        (_, Some(text)) => write_string(text, out),
        (_, None) => write_as_json(&column.value(row), separator, locale, out)?,
    }
    Ok(())
}

fn write_elements(
    values: &mut core::slice::Iter<'_, Value>,
    lengths: &[usize],
    separator: &str,
    locale: &Locale,
    out: &mut String,
) -> Result<()> {
    out.push('[');
    if let Some((length, inner)) = lengths.split_first() {
        for i in 0..*length {
            if i > 0 {
                out.push_str(separator);
            }
            if inner.is_empty() {
                write_as_json(values.next().unwrap_or(&Value::Null), ",", locale, out)?;
            } else {
                write_elements(values, inner, ",", locale, out)?;
            }
        }
    }
    out.push(']');
    Ok(())
}

/// Whether the text of a value is a number of JSON as it is.
fn is_bare(value: &Value, text: &str) -> bool {
    let is_number = matches!(
        value,
        Value::Int2(_)
            | Value::Int4(_)
            | Value::Int8(_)
            | Value::Float4(_)
            | Value::Float8(_)
            | Value::Numeric(_)
    );
    is_number && text.ends_with(|c: char| c.is_ascii_digit())
}

/// The text of a value with a `T` between date and time, and minutes of the zone.
fn dated(value: &Value, text: String) -> String {
    match value {
        Value::Timestamp(_) => text.replacen(' ', "T", 1),
        Value::TimestampTz(_) => {
            let mut text = text.replacen(' ', "T", 1);
            let zone = text.rfind(['+', '-']).unwrap_or(0);
            if zone > 10 && text.len() - zone == 3 {
                text.push_str(":00");
            }
            text
        }
        _ => text,
    }
}

/// A value as jsonb.
pub(crate) fn to_json(value: &Value, ty: LogicalType, locale: &Locale) -> Result<Json> {
    match value {
        Value::Null => Ok(Json::Null),
        Value::Jsonb(stored) => decoded(stored),
        Value::Boolean(bit) => Ok(Json::Boolean(*bit)),
        Value::Text(text) if ty != LogicalType::Json => Ok(Json::String(text.to_string())),
        Value::Text(text) => parse_json(text),
        other => {
            let mut text = String::new();
            write_as_json(other, ",", locale, &mut text)?;
            parse_json(&text)
        }
    }
}

/// A value as the key of an object, argument `index` from 0 of a builder.
pub(crate) fn key_of(value: &Value, ty: LogicalType, locale: &Locale) -> Result<String> {
    if matches!(value, Value::Jsonb(_) | Value::Array(..) | Value::Row(..))
        || ty == LogicalType::Json
    {
        return Err(Error::new(
            SqlState::INVALID_PARAMETER_VALUE,
            "key value must be scalar, not array, composite, or json",
        ));
    }
    let mut text = String::new();
    match value {
        Value::Boolean(bit) => text.push_str(if *bit { "true" } else { "false" }),
        other => write_value(other, locale, &mut text),
    }
    Ok(dated(value, text))
}

/// The value of a stored jsonb.
pub(crate) fn decoded(stored: &[u8]) -> Result<Json> {
    Json::decode(stored).ok_or_else(|| Error::corrupted("a jsonb value"))
}

/// A jsonb value, unless it is nested too deeply to be stored.
pub(crate) fn jsonb(json: &Json) -> Result<Value> {
    if depth_fits(json, JSON_DEPTH_MAX) {
        Ok(Value::json(json))
    } else {
        Err(too_deep())
    }
}

fn depth_fits(json: &Json, left: usize) -> bool {
    let inner = || left.checked_sub(1);
    match json {
        Json::Array(values) if !values.is_empty() => {
            inner().is_some_and(|left| values.iter().all(|value| depth_fits(value, left)))
        }
        Json::Object(pairs) if !pairs.is_empty() => {
            inner().is_some_and(|left| pairs.iter().all(|(_, value)| depth_fits(value, left)))
        }
        _ => true,
    }
}
