//! Values of json and jsonb made of others.

use varve_types::{ArrayValue, Error, Json, LogicalType, Result, SqlState, Value};

use super::invalid;
use crate::json::{self, jsonb, write_string};
use crate::kernels::Row;

fn wants_jsonb(row: &Row<'_>) -> bool {
    row.result == LogicalType::Jsonb
}

fn type_of(row: &Row<'_>, i: usize) -> LogicalType {
    row.args
        .get(i)
        .map_or(LogicalType::Text, |arg| arg.logical_type())
}

fn write(row: &Row<'_>, i: usize, separator: &str, out: &mut String) -> Result<()> {
    match row.args.get(i) {
        Some(arg) if !arg.is_null(row.row) => {
            json::write_cell_as_json(arg, row.row, separator, row.context.locale, out)
        }
        _ => {
            out.push_str("null");
            Ok(())
        }
    }
}

fn jsonb_of(row: &Row<'_>, i: usize) -> Result<Json> {
    json::to_json(&row.value(i), type_of(row, i), row.context.locale)
}

/// `to_json[b]`
pub(in crate::kernels) fn to_json(row: &Row<'_>) -> Result<Value> {
    if wants_jsonb(row) {
        return jsonb(&jsonb_of(row, 0)?);
    }
    let mut text = String::new();
    write(row, 0, ",", &mut text)?;
    Ok(Value::text(text))
}

/// `array_to_json(array, in lines)`
pub(in crate::kernels) fn array_to_json(row: &Row<'_>) -> Result<Value> {
    let in_lines = row.value(1) == Value::Boolean(true);
    let mut text = String::new();
    write(row, 0, if in_lines { ",\n " } else { "," }, &mut text)?;
    Ok(Value::text(text))
}

/// `json[b]_build_array`
pub(in crate::kernels) fn build_array(row: &Row<'_>) -> Result<Value> {
    if wants_jsonb(row) {
        let values = (0..row.args.len()).map(|i| jsonb_of(row, i));
        return jsonb(&Json::Array(values.collect::<Result<_>>()?));
    }
    let mut text = "[".to_owned();
    for i in 0..row.args.len() {
        if i > 0 {
            text.push_str(", ");
        }
        write(row, i, ",", &mut text)?;
    }
    text.push(']');
    Ok(Value::text(text))
}

/// `json[b]_build_object`
pub(in crate::kernels) fn build_object(row: &Row<'_>) -> Result<Value> {
    if !row.args.len().is_multiple_of(2) {
        let name = if wants_jsonb(row) { "jsonb" } else { "json" };
        let error = invalid("argument list must have even number of elements");
        return Err(error.with_hint(format!(
            "The arguments of {name}_build_object() must consist of alternating keys and values."
        )));
    }
    let mut pairs = Vec::new();
    let mut text = "{".to_owned();
    for i in (0..row.args.len()).step_by(2) {
        let key = row.value(i);
        if key.is_null() {
            return Err(if wants_jsonb(row) {
                invalid(format!("argument {}: key must not be null", i + 1))
            } else {
                let message = "null value not allowed for object key";
                Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message)
            });
        }
        let key = json::key_of(&key, type_of(row, i), row.context.locale)?;
        if wants_jsonb(row) {
            pairs.push((key, jsonb_of(row, i + 1)?));
            continue;
        }
        if i > 0 {
            text.push_str(", ");
        }
        write_string(&key, &mut text);
        text.push_str(" : ");
        write(row, i + 1, ",", &mut text)?;
    }
    if wants_jsonb(row) {
        return jsonb(&Json::object(pairs));
    }
    text.push('}');
    Ok(Value::text(text))
}

/// A row as an object: names and values by turns.
pub(in crate::kernels) fn row_object(row: &Row<'_>) -> Result<Value> {
    let mut text = "{".to_owned();
    for i in (0..row.args.len()).step_by(2) {
        if i > 0 {
            text.push(',');
        }
        write_string(row.text(i), &mut text);
        text.push(':');
        write(row, i + 1, ",", &mut text)?;
    }
    text.push('}');
    Ok(Value::text(text))
}

/// `json[b]_object(text[])`: keys and values by turns, or in rows of two.
pub(in crate::kernels) fn object(row: &Row<'_>) -> Result<Value> {
    let array = row.array(0)?;
    let lengths: Vec<u32> = array.dimensions.iter().map(|one| one.length).collect();
    match lengths.as_slice() {
        [] | [_, 2] => {}
        [length] if length.is_multiple_of(2) => {}
        [_] => return Err(subscripts("array must have even number of elements")),
        [_, _] => return Err(subscripts("array must have two columns")),
        _ => return Err(subscripts("wrong number of array subscripts")),
    }
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for (i, text) in row.texts(0)?.into_iter().enumerate() {
        let side = if i % 2 == 0 { &mut keys } else { &mut values };
        side.push(text);
    }
    pairs(row, keys, values)
}

/// `json[b]_object(keys, values)`
pub(in crate::kernels) fn object_of_two(row: &Row<'_>) -> Result<Value> {
    let sides: [ArrayValue; 2] = [row.array(0)?, row.array(1)?];
    if sides.iter().any(|side| side.dimensions.len() > 1) {
        return Err(subscripts("wrong number of array subscripts"));
    }
    let (keys, values) = (row.texts(0)?, row.texts(1)?);
    if keys.len() != values.len() {
        return Err(subscripts("mismatched array dimensions"));
    }
    pairs(row, keys, values)
}

fn subscripts(message: &str) -> Error {
    Error::new(SqlState::ARRAY_SUBSCRIPT_ERROR, message)
}

fn pairs(row: &Row<'_>, keys: Vec<Option<String>>, values: Vec<Option<String>>) -> Result<Value> {
    let no_key = || {
        Error::new(
            SqlState::NULL_VALUE_NOT_ALLOWED,
            "null value not allowed for object key",
        )
    };
    let keys = keys.into_iter().map(|key| key.ok_or_else(no_key));
    let keys: Vec<String> = keys.collect::<Result<_>>()?;
    let pairs = keys.into_iter().zip(values);
    if wants_jsonb(row) {
        let pairs = pairs.map(|(key, value)| (key, value.map_or(Json::Null, Json::String)));
        return jsonb(&Json::object(pairs.collect()));
    }
    let mut text = "{".to_owned();
    for (i, (key, value)) in pairs.enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        write_string(&key, &mut text);
        text.push_str(" : ");
        match value {
            Some(value) => write_string(&value, &mut text),
            None => text.push_str("null"),
        }
    }
    text.push('}');
    Ok(Value::text(text))
}
