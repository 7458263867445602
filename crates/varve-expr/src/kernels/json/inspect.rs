//! What is in a value.

use varve_types::{Json, JsonKind, Result, Value};

use super::invalid;
use super::sqlite::document;
use crate::json::{self, Shallow, kind_name, shallow};
use crate::kernels::math::arithmetic::count;
use crate::tree::Row;

/// `json[b]_typeof`
pub(in crate::kernels) fn type_of(row: &Row<'_>) -> Result<Value> {
    if row.is_json(0) {
        return Ok(Value::text(json::text_kind(row.text(0))?));
    }
    Ok(Value::text(match row.view(0)?.kind() {
        Some(JsonKind::Array(_)) => "array",
        Some(JsonKind::Object(_)) => "object",
        _ => kind_name(&row.jsonb(0)?),
    }))
}

/// `IS JSON`: the wanted kind (0 any, 1 object, 2 array, 3 scalar), and 4 for unique keys.
pub(in crate::kernels) fn is_json(row: &Row<'_>) -> Result<Value> {
    let wanted = row.int4(1);
    let unique = wanted & 4 != 0;
    let kind = match row.value(0) {
        Value::Text(text) => json::json_kind(&text, unique)?,
        Value::Bpchar(text) => json::json_kind(&text, unique)?,
        Value::Bytea(bytes) => match core::str::from_utf8(&bytes) {
            Ok(text) => json::json_kind(text, unique)?,
            Err(_) => None,
        },
        _ => Some(match row.view(0)?.kind() {
            Some(JsonKind::Array(_)) => "array",
            Some(JsonKind::Object(_)) => "object",
            _ => "scalar",
        }),
    };
    Ok(Value::Boolean(match (kind, wanted & 3) {
        (None, _) => false,
        (Some(_), 0) => true,
        (Some(kind), 1) => kind == "object",
        (Some(kind), 2) => kind == "array",
        (Some(kind), _) => !matches!(kind, "object" | "array"),
    }))
}

/// `json[b]_array_length`
pub(in crate::kernels) fn array_length(row: &Row<'_>) -> Result<Value> {
    let length = if row.is_jsonb(0) {
        match row.view(0)?.kind() {
            Some(JsonKind::Array(count)) => Ok(count as usize),
            Some(JsonKind::Object(_)) => Err("non-array"),
            _ => Err("scalar"),
        }
    } else {
        match shallow(document(row, 0)?)? {
            Shallow::Array(values) => Ok(values.len()),
            Shallow::Object(_) => Err("non-array"),
            Shallow::Scalar(..) => Err("scalar"),
        }
    };
    match length {
        Ok(length) => count(length),
        Err(what) => Err(invalid(format!("cannot get array length of a {what}"))),
    }
}

/// `jsonb_pretty`
pub(in crate::kernels) fn pretty(row: &Row<'_>, out: &mut String) -> Result<()> {
    json::write_pretty(&row.jsonb(0)?, 0, out);
    Ok(())
}

/// `@>`
pub(in crate::kernels) fn contains(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Boolean(json::contains(
        &row.jsonb(0)?,
        &row.jsonb(1)?,
    )))
}

/// `<@`
pub(in crate::kernels) fn contained(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Boolean(json::contains(
        &row.jsonb(1)?,
        &row.jsonb(0)?,
    )))
}

/// `?`
pub(in crate::kernels) fn has_key(row: &Row<'_>) -> Result<Value> {
    let key = row.text(1);
    let found = match row.view(0)?.kind() {
        Some(JsonKind::Object(_)) => row.view(0)?.member(key).is_some(),
        _ => json::has_key(&row.jsonb(0)?, key),
    };
    Ok(Value::Boolean(found))
}

/// `?|`
pub(in crate::kernels) fn has_any_key(row: &Row<'_>) -> Result<Value> {
    let (json, keys) = keys(row)?;
    let mut keys = keys.iter().flatten();
    Ok(Value::Boolean(keys.any(|key| json::has_key(&json, key))))
}

/// `?&`
pub(in crate::kernels) fn has_all_keys(row: &Row<'_>) -> Result<Value> {
    let (json, keys) = keys(row)?;
    let mut keys = keys.iter().flatten();
    Ok(Value::Boolean(keys.all(|key| json::has_key(&json, key))))
}

fn keys(row: &Row<'_>) -> Result<(Json, Vec<Option<String>>)> {
    Ok((row.jsonb(0)?, row.texts(1)?))
}
