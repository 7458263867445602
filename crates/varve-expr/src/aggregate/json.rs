//! Aggregates that make arrays and objects of JSON.

use varve_types::{Error, Json, LogicalType, Result, SqlState, Value};

use crate::json::{LINE, decoded, jsonb, key_of, to_json, write_cell_as_json, write_string};
use crate::tree::{Row, State};

fn text_of(row: &Row<'_>, i: usize) -> Result<Value> {
    let mut text = String::new();
    match row.args.get(i) {
        Some(arg) if !arg.is_null(row.row) => {
            write_cell_as_json(arg, row.row, ",", row.context.locale, &mut text)?;
        }
        _ => text.push_str("null"),
    }
    Ok(Value::text(text))
}

fn jsonb_of(row: &Row<'_>, i: usize) -> Result<Value> {
    let ty = row.args.get(i).map(|arg| arg.logical_type());
    let ty = ty.unwrap_or(LogicalType::Text);
    jsonb(&to_json(&row.value(i), ty, row.context.locale)?)
}

fn key(row: &Row<'_>) -> Result<Value> {
    if row.is_null(0) {
        let state = SqlState::NULL_VALUE_NOT_ALLOWED;
        return Err(Error::new(state, "null value not allowed for object key"));
    }
    key_text(row)
}

fn jsonb_key(row: &Row<'_>) -> Result<Value> {
    if row.is_null(0) {
        let state = SqlState::INVALID_PARAMETER_VALUE;
        return Err(Error::new(state, "field name must not be null"));
    }
    key_text(row)
}

fn key_text(row: &Row<'_>) -> Result<Value> {
    let ty = row.args.first().map(|arg| arg.logical_type());
    let ty = ty.unwrap_or(LogicalType::Text);
    Ok(Value::text(key_of(&row.value(0), ty, row.context.locale)?))
}

pub(super) fn add_text(state: &mut State, row: &Row<'_>) -> Result<()> {
    let text = text_of(row, 0)?;
    let whole = text.str().unwrap_or_default();
    let ty = row.args.first().map(|arg| arg.logical_type());
    let has_parts = matches!(ty, Some(LogicalType::Array(_) | LogicalType::Row(_)));
    let (element, has_parts) = match whole.strip_prefix(LINE) {
        Some(element) => (element, true),
        None => (whole, has_parts && !row.is_null(0)),
    };
    // What has parts begins on a line of its own.
    let line = match has_parts && !matches!(state, State::Empty) {
        true => "\n ",
        false => "",
    };
    state.push(Value::text(format!("{line}{element}")));
    state.check_size()
}

pub(super) fn add_jsonb(state: &mut State, row: &Row<'_>) -> Result<()> {
    state.push(jsonb_of(row, 0)?);
    state.check_size()
}

/// A key and its value, one behind the other.
pub(super) fn add_pair(state: &mut State, row: &Row<'_>) -> Result<()> {
    state.push(key(row)?);
    state.push(text_of(row, 1)?);
    state.check_size()
}

pub(super) fn add_jsonb_pair(state: &mut State, row: &Row<'_>) -> Result<()> {
    state.push(jsonb_key(row)?);
    state.push(jsonb_of(row, 1)?);
    state.check_size()
}

/// Pairs whose value is NULL are left out.
pub(super) fn add_pair_strict(state: &mut State, row: &Row<'_>) -> Result<()> {
    let key = key(row)?;
    if row.is_null(1) {
        return Ok(());
    }
    state.push(key);
    state.push(text_of(row, 1)?);
    state.check_size()
}

/// Of pairs whose value is NULL the key alone is kept.
pub(super) fn add_unique_pair(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_either(state, row, add_pair)
}

/// As [`add_unique_pair`], of jsonb.
pub(super) fn add_unique_jsonb_pair(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_either(state, row, add_jsonb_pair)
}

fn add_either(
    state: &mut State,
    row: &Row<'_>,
    add: fn(&mut State, &Row<'_>) -> Result<()>,
) -> Result<()> {
    if row.is_null(0) || !row.is_null(1) {
        return add(state, row);
    }
    state.push(key_text(row)?);
    state.push(Value::Null);
    state.check_size()
}

pub(super) fn add_jsonb_pair_strict(state: &mut State, row: &Row<'_>) -> Result<()> {
    let key = jsonb_key(row)?;
    if row.is_null(1) {
        return Ok(());
    }
    state.push(key);
    state.push(jsonb_of(row, 1)?);
    state.check_size()
}

/// The values as an array, NULL without a row.
pub(super) fn array(state: &State, ty: LogicalType) -> Result<Value> {
    let values = state.values();
    if matches!(state, State::Empty) {
        return Ok(Value::Null);
    }
    if ty == LogicalType::Jsonb {
        let values = values.iter().map(json_of);
        return jsonb(&Json::Array(values.collect::<Result<_>>()?));
    }
    let mut text = "[".to_owned();
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        text.push_str(value.str().unwrap_or_default());
    }
    text.push(']');
    Ok(Value::text(text))
}

fn json_of(value: &Value) -> Result<Json> {
    match value {
        Value::Jsonb(stored) => decoded(stored),
        _ => Ok(Json::Null),
    }
}

/// The pairs as an object, NULL without a row.
pub(super) fn all_pairs(state: &State, ty: LogicalType) -> Result<Value> {
    if matches!(state, State::Empty) {
        return Ok(Value::Null);
    }
    let (pairs, _) = state.values().as_chunks::<2>();
    object(&mut pairs.iter(), ty)
}

fn object(pairs: &mut dyn Iterator<Item = &[Value; 2]>, ty: LogicalType) -> Result<Value> {
    if ty == LogicalType::Jsonb {
        let pairs = pairs.map(|[key, value]| {
            let key = key.str().unwrap_or_default().to_owned();
            Ok((key, json_of(value)?))
        });
        return jsonb(&Json::object(pairs.collect::<Result<_>>()?));
    }
    let mut text = "{ ".to_owned();
    for (i, [key, value]) in pairs.enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        write_string(key.str().unwrap_or_default(), &mut text);
        text.push_str(" : ");
        text.push_str(value.str().unwrap_or_default());
    }
    text.push_str(" }");
    Ok(Value::text(text))
}

/// As [`all_pairs`], `22030` where a key comes twice; pairs without a value only say that the key
/// was there.
pub(super) fn unique_object(state: &State, ty: LogicalType) -> Result<Value> {
    if matches!(state, State::Empty) {
        return Ok(Value::Null);
    }
    let (pairs, _) = state.values().as_chunks::<2>();
    let mut keys: Vec<&str> = pairs.iter().filter_map(|[key, _]| key.str()).collect();
    varve_sort::sort(&mut keys);
    let mut twice = keys.windows(2).filter(|pair| pair.first() == pair.last());
    if let Some([key, ..]) = twice.next() {
        let mut message = "duplicate JSON object key value".to_owned();
        if ty != LogicalType::Jsonb {
            message.push_str(&format!(": \"{key}\""));
        }
        let state = SqlState::DUPLICATE_JSON_OBJECT_KEY_VALUE;
        return Err(Error::new(state, message));
    }
    let mut kept = pairs.iter().filter(|[_, value]| !value.is_null());
    object(&mut kept, ty)
}
