//! Rows from text and as text: `(1,"a b",)`.

use varve_types::{Error, LogicalType, Result, RowTypeId, RowValue, SqlState, TypeMod, Value};

use super::parse::parse_value_with_mod;
use super::write::write_value;
use crate::tree::Locale;

/// Appends a row: NULL fields are empty, and what would not be read back stands in quotes.
pub(super) fn write_row(stored: &[u8], locale: &Locale, text: &mut String) {
    let fields = RowValue::decode(stored).unwrap_or_default().fields;
    text.push('(');
    let mut field = String::new();
    for (at, (_, value)) in fields.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        if value.is_null() {
            continue;
        }
        field.clear();
        write_value(value, locale, &mut field);
        let is_special =
            |c: char| matches!(c, '"' | '\\' | '(' | ')' | ',') || c.is_ascii_whitespace();
        if !field.is_empty() && !field.contains(is_special) {
            text.push_str(&field);
            continue;
        }
        text.push('"');
        for character in field.chars() {
            if matches!(character, '"' | '\\') {
                text.push(character);
            }
            text.push(character);
        }
        text.push('"');
    }
    text.push(')');
}

/// The input function of a type of rows.
pub(super) fn parse_row(text: &str, id: RowTypeId, locale: &Locale) -> Result<Value> {
    let names = locale.names.as_ref();
    let Some(types) = names.and_then(|names| names.0.row_fields(id)) else {
        let message = "input of anonymous composite types is not implemented";
        return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
    };
    let malformed = |detail: &str| {
        Error::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("malformed record literal: \"{text}\""),
        )
        .with_detail(detail)
    };
    let Some(inner) = text.trim_ascii_start().strip_prefix('(') else {
        return Err(malformed("Missing left parenthesis."));
    };
    let mut characters = inner.chars().peekable();
    let mut fields: Vec<(LogicalType, Value)> = Vec::with_capacity(types.len());
    let mut has_more = !types.is_empty();
    for (_, ty, modifier) in types {
        if !has_more {
            return Err(malformed("Too few columns."));
        }
        let mut field: Option<String> = None;
        let mut in_quotes = false;
        loop {
            let Some(next) = characters.peek().copied() else {
                return Err(malformed("Unexpected end of input."));
            };
            if !in_quotes && matches!(next, ',' | ')') {
                break;
            }
            characters.next();
            let field = field.get_or_insert_default();
            match next {
                '\\' => match characters.next() {
                    Some(escaped) => field.push(escaped),
                    None => return Err(malformed("Unexpected end of input.")),
                },
                '"' if in_quotes && characters.peek() == Some(&'"') => {
                    characters.next();
                    field.push('"');
                }
                '"' => in_quotes = !in_quotes,
                other => field.push(other),
            }
        }
        let value = match field {
            Some(field) => parse_value_with_mod(&field, ty, modifier, locale)?,
            None => Value::Null,
        };
        fields.push((ty, value));
        has_more = characters.next_if_eq(&',').is_some();
    }
    if has_more || characters.next() != Some(')') {
        return Err(malformed("Too many columns."));
    }
    if characters.any(|character| !character.is_ascii_whitespace()) {
        return Err(malformed("Junk after right parenthesis."));
    }
    Ok(Value::row(id, &RowValue { fields }))
}

/// A row as one of another type, field by field.
pub(super) fn convert_row(
    stored: &[u8],
    to: RowTypeId,
    locale: &Locale,
    convert: fn(&Value, LogicalType, &Locale) -> Result<Value>,
) -> Result<Value> {
    let names = locale.names.as_ref();
    let Some(types) = names.and_then(|names| names.0.row_fields(to)) else {
        return Ok(Value::Row(to, stored.into()));
    };
    let row = RowValue::read(stored)?;
    if row.fields.len() != types.len() {
        return Err(wrong_count(row.fields.len() < types.len()));
    }
    let mut fields = Vec::with_capacity(types.len());
    for ((_, value), (_, ty, modifier)) in row.fields.iter().zip(types) {
        let value = match value {
            Value::Null => Value::Null,
            value => convert(value, ty, locale)?,
        };
        let value = match modifier {
            TypeMod::NONE => value,
            modifier => super::coerce_length(value, ty, modifier, true)?,
        };
        fields.push((ty, value));
    }
    Ok(Value::row(to, &RowValue { fields }))
}

fn wrong_count(too_few: bool) -> Error {
    let which = if too_few { "few" } else { "many" };
    Error::new(
        SqlState::CANNOT_COERCE,
        "cannot cast type record to a composite type",
    )
    .with_detail(format!("Input has too {which} columns."))
}
