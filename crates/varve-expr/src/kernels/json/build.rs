//! Values of json and jsonb made of others.

use varve_types::{ArrayValue, Error, Json, LogicalType, Result, SqlState, Value};

use super::invalid;
use crate::json::{self, Shallow, jsonb, shallow, write_string};
use crate::kernels::text::check_length;
use crate::tree::Row;

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
    array_from(row, 0, false)
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
    object_from(row, 0, false, false)
}

/// Where the values of a constructor of SQL/JSON begin: before them stand a NULL of the type of
/// the result and the flags.
const FIRST: usize = 2;
/// The flag of ABSENT ON NULL.
const ABSENT: i32 = 1;
/// The flag of WITH UNIQUE KEYS.
const UNIQUE: i32 = 2;

/// `JSON_ARRAY`
pub(in crate::kernels) fn constructed_array(row: &Row<'_>) -> Result<Value> {
    array_from(row, FIRST, row.int4(1) & ABSENT != 0)
}

/// `JSON_OBJECT`
pub(in crate::kernels) fn constructed_object(row: &Row<'_>) -> Result<Value> {
    let flags = row.int4(1);
    object_from(row, FIRST, flags & ABSENT != 0, flags & UNIQUE != 0)
}

/// The arguments from `first` on as an array.
fn array_from(row: &Row<'_>, first: usize, absent: bool) -> Result<Value> {
    let places = (first..row.args.len()).filter(|i| !(absent && row.is_null(*i)));
    if wants_jsonb(row) {
        let values = places.map(|i| jsonb_of(row, i));
        return jsonb(&Json::Array(values.collect::<Result<_>>()?));
    }
    let mut text = "[".to_owned();
    for i in places {
        if text.len() > 1 {
            text.push_str(", ");
        }
        write(row, i, ",", &mut text)?;
        check_length(text.len())?;
    }
    text.push(']');
    Ok(Value::text(text))
}

/// The arguments from `first` on, keys and values by turns, as an object.
fn object_from(row: &Row<'_>, first: usize, absent: bool, unique: bool) -> Result<Value> {
    let mut pairs = Vec::new();
    let mut keys = Vec::new();
    let mut text = "{".to_owned();
    for i in (first..row.args.len()).step_by(2) {
        let key = row.value(i);
        if key.is_null() {
            return Err(if wants_jsonb(row) {
                invalid(format!("argument {}: key must not be null", i - first + 1))
            } else {
                let message = "null value not allowed for object key";
                Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message)
            });
        }
        let key = json::key_of(&key, type_of(row, i), row.context.locale)?;
        if unique {
            if keys.contains(&key) {
                let mut message = "duplicate JSON object key value".to_owned();
                if !wants_jsonb(row) {
                    message.push_str(&format!(": \"{key}\""));
                }
                let state = SqlState::DUPLICATE_JSON_OBJECT_KEY_VALUE;
                return Err(Error::new(state, message));
            }
            keys.push(key.clone());
        }
        if absent && row.is_null(i + 1) {
            continue;
        }
        if wants_jsonb(row) {
            pairs.push((key, jsonb_of(row, i + 1)?));
            continue;
        }
        if text.len() > 1 {
            text.push_str(", ");
        }
        write_string(&key, &mut text);
        text.push_str(" : ");
        write(row, i + 1, ",", &mut text)?;
        check_length(text.len())?;
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
        check_length(text.len())?;
    }
    text.push('}');
    Ok(Value::text(text))
}

/// `row_to_json(row, in lines)`; a row may have become an object before.
pub(in crate::kernels) fn row_in_lines(row: &Row<'_>) -> Result<Value> {
    let ty = type_of(row, 0);
    if !matches!(ty, LogicalType::Row(_) | LogicalType::Json) {
        let message = format!("function row_to_json({ty}) does not exist");
        return Err(Error::new(SqlState::UNDEFINED_FUNCTION, message));
    }
    let mut object = String::new();
    write(row, 0, ",", &mut object)?;
    let Shallow::Object(pairs) = shallow(&object)? else {
        return Ok(Value::text(object));
    };
    let separator = match row.value(1) {
        Value::Boolean(true) => ",\n ",
        _ => ",",
    };
    let mut text = "{".to_owned();
    for (place, (key, value)) in pairs.iter().enumerate() {
        if place > 0 {
            text.push_str(separator);
        }
        write_string(key, &mut text);
        text.push(':');
        text.push_str(value);
    }
    text.push('}');
    Ok(Value::text(text))
}

/// A row as an object that begins a line of its own in an array.
pub(in crate::kernels) fn line(row: &Row<'_>, out: &mut String) -> Result<()> {
    out.push(json::LINE);
    out.push_str(if row.is_null(0) { "null" } else { row.text(0) });
    Ok(())
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
    let [keys, values] = sides.each_ref().map(|side| side.dimensions.len());
    if keys > 1 || keys != values {
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
