//! Conversions between types, and the text form of every type.

use varve_types::{Column, Error, LogicalType, Result, Value};

/// Converts a value as `CAST` does when `explicit`, else only where assignment would.
pub fn cast_value(value: &Value, to: LogicalType, explicit: bool) -> Result<Value> {
    let _ = (value, to, explicit);
    Err(Error::unsupported("cast"))
}

/// Reads a value as PostgreSQL's input function of the type does: `22P02`, `22007`, `22008`, `22003`.
pub fn parse_value(text: &str, to: LogicalType) -> Result<Value> {
    let _ = (text, to);
    Err(Error::unsupported("cast"))
}

/// A value as PostgreSQL's output function writes it, with `TimeZone` UTC and ISO dates; empty for NULL.
pub fn format_value(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

/// Appends what [`format_value`] answers.
pub fn write_value(value: &Value, text: &mut String) {
    let _ = (value, text);
}

/// Appends row `row` of a column as [`format_value`] writes it.
pub fn write_cell(column: &Column, row: usize, text: &mut String) {
    write_value(&column.value(row), text);
}
