//! SQLite's spellings: a document as json, jsonb or text, and paths that are read strictly.

use varve_types::{Json, Result, Value};

use crate::json::{Found, Query, check_json, decoded, parse_json, parse_path, write_json};
use crate::kernels::math::arithmetic::count;
use crate::tree::Row;

fn document(row: &Row<'_>) -> Result<Json> {
    match row.value(0) {
        Value::Jsonb(stored) => decoded(&stored),
        _ => parse_json(row.text(0)),
    }
}

/// What stands at a path; `None` where nothing does.
fn at(root: &Json, path: &str) -> Result<Option<Json>> {
    let path = parse_path(&format!("strict {path}"))?;
    let found = Query::new(&path, root, None, false)?.all(true)?;
    Ok(found.into_rows().next().map(Found::into_json))
}

fn written(json: &Json) -> String {
    let mut text = String::new();
    write_json(json, &mut text);
    text
}

/// `json_extract(document, path, ...)`: as `->>` gives it; of several paths an array of what they
/// find.
pub(in crate::kernels) fn extract(row: &Row<'_>) -> Result<Value> {
    let root = document(row)?;
    if row.args.len() == 2 {
        return Ok(match at(&root, row.text(1))? {
            None | Some(Json::Null) => Value::Null,
            Some(Json::String(text)) => Value::text(text),
            Some(json) => Value::text(written(&json)),
        });
    }
    let found = (1..row.args.len()).map(|i| Ok(at(&root, row.text(i))?.unwrap_or(Json::Null)));
    let found = Json::Array(found.collect::<Result<_>>()?);
    Ok(Value::text(written(&found)))
}

/// The value that a function with an optional path is about.
fn meant(row: &Row<'_>) -> Result<Option<Json>> {
    let root = document(row)?;
    match row.args.len() {
        1 => Ok(Some(root)),
        _ => at(&root, row.text(1)),
    }
}

/// `json_type(document [, path])`
pub(in crate::kernels) fn type_name(row: &Row<'_>) -> Result<Value> {
    Ok(meant(row)?.map_or(Value::Null, |json| {
        Value::text(match json {
            Json::Null => "null",
            Json::Boolean(true) => "true",
            Json::Boolean(false) => "false",
            Json::Number(number) if number.to_string().contains('.') => "real",
            Json::Number(_) => "integer",
            Json::String(_) => "text",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        })
    }))
}

/// `json_array_length(document, path)`
pub(in crate::kernels) fn length_at(row: &Row<'_>) -> Result<Value> {
    match meant(row)? {
        None => Ok(Value::Null),
        Some(Json::Array(items)) => count(items.len()),
        Some(_) => count(0),
    }
}

/// `json_valid(text)`
pub(in crate::kernels) fn valid(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Int4(i32::from(check_json(row.text(0)).is_ok())))
}
