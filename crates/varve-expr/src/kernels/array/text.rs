//! Arrays of text joined to strings, and strings split.

use varve_types::meter::ValueList;
use varve_types::{ArrayValue, ElementType, Result, Value};

use super::{check_size, finished, present};
use crate::cast::write_value;
use crate::kernels::text::check_length;
use crate::tree::set_rows::values;
use crate::tree::{Row, SetRows};

/// `array_to_string(array, delimiter [, null])`
pub(in crate::kernels) fn join(row: &Row<'_>) -> Result<Value> {
    if row.value(0).is_null() || row.value(1).is_null() {
        return Ok(Value::Null);
    }
    let null = row.value(2);
    let delimiter = row.text(1);
    let mut text = String::new();
    let mut is_first = true;
    for value in &present(row, 0)?.values {
        if value.is_null() && null.is_null() {
            continue;
        }
        if !is_first {
            text.push_str(delimiter);
        }
        is_first = false;
        match value {
            Value::Null => text.push_str(null.str().unwrap_or_default()),
            value => write_value(value, row.context.locale, &mut text),
        }
        check_length(text.len())?;
    }
    Ok(Value::text(text))
}

/// The parts of `text` between delimiters: characters without one, all of it where it is empty.
fn parts(row: &Row<'_>) -> Result<Option<Vec<Value>>> {
    let (text, delimiter, null) = (row.value(0), row.value(1), row.value(2));
    let Some(text) = text.str() else {
        return Ok(None);
    };
    let part = |part: &str| match null.str() {
        Some(null) if null == part => Value::Null,
        _ => Value::text(part),
    };
    let mut parts = ValueList::default();
    match delimiter.str() {
        _ if text.is_empty() => {}
        None => {
            for (at, character) in text.char_indices() {
                let character = text.get(at..at + character.len_utf8());
                parts.push(part(character.unwrap_or_default()))?;
            }
        }
        Some("") => parts.push(part(text))?,
        Some(delimiter) => {
            for found in text.split(delimiter) {
                parts.push(part(found))?;
            }
        }
    }
    let parts = parts.into_values();
    check_size(parts.len())?;
    Ok(Some(parts))
}

/// `string_to_array(text, delimiter [, null])`
pub(in crate::kernels) fn split(row: &Row<'_>) -> Result<Value> {
    match parts(row)? {
        None => Ok(Value::Null),
        Some(parts) => finished(ArrayValue::of(ElementType::Text, parts)),
    }
}

/// `string_to_table(text, delimiter [, null])`
pub(in crate::kernels) fn split_to_rows(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    Ok(values(parts(row)?.unwrap_or_default()))
}
