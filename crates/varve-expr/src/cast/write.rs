//! Values as text: PostgreSQL's output functions.

use core::fmt::Write;

use varve_types::{ArrayValue, Column, Json, Value, unpadded};

use super::array::write_array;
use super::binary::{write_bytea, write_uuid};
use super::float_text::{write_float4, write_float8};
use super::row::write_row;
use crate::datetime::{write_date, write_interval, write_time, write_timestamp};
use crate::json::write_json;
use crate::tree::Locale;

/// A value as PostgreSQL's output function writes it; empty for NULL.
pub fn format_value(value: &Value, locale: &Locale) -> String {
    let mut text = String::new();
    write_value(value, locale, &mut text);
    text
}

/// Appends what [`format_value`] answers.
pub fn write_value(value: &Value, locale: &Locale, text: &mut String) {
    match value {
        Value::Null => {}
        Value::Boolean(bit) => text.push(if *bit { 't' } else { 'f' }),
        Value::Float4(number) => write_float4(*number, locale.extra_float_digits, text),
        Value::Float8(number) => write_float8(*number, locale.extra_float_digits, text),
        Value::Numeric(number) => {
            // Writing to a string cannot fail.
            let _ = write!(text, "{number}");
        }
        Value::Text(string) | Value::Bpchar(string) => text.push_str(string),
        Value::Bytea(bytes) => write_bytea(bytes, locale.bytea_output, text),
        Value::Date(date) => write_date(*date, locale, text),
        Value::Time(us) => write_time(*us, text),
        Value::Timestamp(us) => write_timestamp(*us, false, locale, text),
        Value::TimestampTz(us) => write_timestamp(*us, true, locale, text),
        Value::Interval(interval) => write_interval(*interval, locale.interval_style, text),
        Value::Uuid(bytes) => write_uuid(bytes, text),
        Value::Jsonb(stored) => {
            if let Some(json) = Json::decode(stored) {
                write_json(&json, text);
            }
        }
        Value::Array(element, stored) => {
            if let Some(array) = ArrayValue::decode(*element, stored) {
                write_array(&array, locale, text);
            }
        }
        Value::Row(_, stored) => write_row(stored, locale, text),
        Value::Enum(id, place) => {
            let labels = locale.enums.as_ref().and_then(|enums| enums.get(id));
            match labels.and_then(|labels| labels.label(*place)) {
                Some(label) => text.push_str(label),
                None => write_integer(i64::from(*place), text),
            }
        }
        Value::Reg(_, 0) => text.push('-'),
        Value::Reg(ty, oid) => {
            let names = locale.names.as_ref();
            match names.and_then(|names| names.0.reg_name(*ty, *oid)) {
                Some(name) => text.push_str(&name),
                None => write_integer(i64::from(*oid), text),
            }
        }
        Value::Int2(_) | Value::Int4(_) | Value::Int8(_) | Value::Oid(_) => {
            write_integer(value.integer().unwrap_or(0), text);
        }
    }
}

/// Appends row `row` of a column as [`format_value`] writes it.
pub fn write_cell(column: &Column, row: usize, locale: &Locale, text: &mut String) {
    match column.str_at(row) {
        Some(string) => text.push_str(string),
        None => write_value(&column.value(row), locale, text),
    }
}

/// Appends a value as a cast to text gives it: booleans are spelt out.
pub(super) fn write_as_text(value: &Value, locale: &Locale, text: &mut String) {
    match value {
        Value::Boolean(bit) => text.push_str(if *bit { "true" } else { "false" }),
        Value::Bpchar(string) => text.push_str(unpadded(string)),
        other => write_value(other, locale, text),
    }
}

pub(super) fn write_integer(number: i64, text: &mut String) {
    let mut magnitude = number.unsigned_abs();
    let mut digits = [0_u8; 20];
    let mut used = 0;
    for place in digits.iter_mut().rev() {
        *place = u8::try_from(magnitude % 10).unwrap_or(0);
        used += 1;
        magnitude /= 10;
        if magnitude == 0 {
            break;
        }
    }
    if number < 0 {
        text.push('-');
    }
    let shown = digits.iter().skip(digits.len() - used);
    text.extend(shown.map(|digit| char::from(b'0' + digit)));
}
