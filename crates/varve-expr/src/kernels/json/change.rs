//! Values with something added, replaced or taken out.

use varve_types::{Error, Json, Result, SqlState, Value};

use super::invalid;
use crate::json::{self, Change, jsonb};
use crate::tree::Row;

/// `jsonb || jsonb`
pub(in crate::kernels) fn concat(row: &Row<'_>) -> Result<Value> {
    jsonb(&json::concat(row.jsonb(0)?, row.jsonb(1)?))
}

/// `jsonb - text`
pub(in crate::kernels) fn delete_key(row: &Row<'_>) -> Result<Value> {
    let key = Some(row.text(1).to_owned());
    jsonb(&json::without_keys(row.jsonb(0)?, &[key])?)
}

/// `jsonb - text[]`
pub(in crate::kernels) fn delete_keys(row: &Row<'_>) -> Result<Value> {
    jsonb(&json::without_keys(row.jsonb(0)?, &flat_texts(row)?)?)
}

/// `jsonb - integer`
pub(in crate::kernels) fn delete_element(row: &Row<'_>) -> Result<Value> {
    jsonb(&json::without_element(row.jsonb(0)?, row.int8(1))?)
}

/// `jsonb #- text[]`
pub(in crate::kernels) fn delete_path(row: &Row<'_>) -> Result<Value> {
    changed(row, Change::Delete, &Json::Null)
}

/// `jsonb_set`
pub(in crate::kernels) fn set(row: &Row<'_>) -> Result<Value> {
    changed(row, replacement(row), &row.jsonb(2)?)
}

/// `jsonb_insert`
pub(in crate::kernels) fn insert(row: &Row<'_>) -> Result<Value> {
    let after = row.value(3) == Value::Boolean(true);
    let change = if after {
        Change::InsertAfter
    } else {
        Change::InsertBefore
    };
    changed(row, change, &row.jsonb(2)?)
}

/// `jsonb_set_lax`
pub(in crate::kernels) fn set_lax(row: &Row<'_>) -> Result<Value> {
    let is_null = |i: usize| row.value(i).is_null();
    if is_null(0) || is_null(1) || is_null(3) {
        return Ok(Value::Null);
    }
    let treatment = row.value(4);
    let treatment = treatment.str().unwrap_or_default();
    let known = [
        "delete_key",
        "return_target",
        "use_json_null",
        "raise_exception",
    ];
    if !known.contains(&treatment) {
        return Err(invalid(
            "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \
             \"raise_exception\"",
        ));
    }
    if !is_null(2) {
        return set(row);
    }
    match treatment {
        "delete_key" => changed(row, Change::Delete, &Json::Null),
        "return_target" => Ok(row.value(0)),
        "use_json_null" => changed(row, replacement(row), &Json::Null),
        _ => Err(Error::new(
            SqlState::NULL_VALUE_NOT_ALLOWED,
            "JSON value must not be null",
        )
        .with_detail("Exception was raised because null_value_treatment is \"raise_exception\".")
        .with_hint(
            "To avoid, either change the null_value_treatment argument or ensure that an SQL NULL \
             is not passed.",
        )),
    }
}

/// `value[step][step] = new`: what is missing on the way is made.
pub(in crate::kernels) fn assign(row: &Row<'_>) -> Result<Value> {
    let mut steps = Vec::with_capacity(row.args.len());
    let mut is_index = false;
    for i in 2..row.args.len() {
        let step = match row.value(i) {
            Value::Null => {
                let message = "jsonb subscript in assignment must not be null";
                return Err(Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message));
            }
            Value::Text(key) => key.to_string(),
            index => {
                is_index |= i == 2;
                index.integer().unwrap_or(0).to_string()
            }
        };
        steps.push(Some(step));
    }
    let mut json = match (row.is_null(0), is_index) {
        (false, _) => row.jsonb(0)?,
        (true, true) => Json::Array(Vec::new()),
        (true, false) => Json::Object(Vec::new()),
    };
    let new = match row.is_null(1) {
        true => Json::Null,
        false => row.jsonb(1)?,
    };
    json::change(&mut json, &steps, Change::Assign, &new)?;
    jsonb(&json)
}

fn replacement(row: &Row<'_>) -> Change {
    if row.value(3) == Value::Boolean(true) {
        Change::Set
    } else {
        Change::Replace
    }
}

fn changed(row: &Row<'_>, change: Change, new: &Json) -> Result<Value> {
    let path = flat_texts(row)?;
    let mut json = row.jsonb(0)?;
    json::change(&mut json, &path, change, new)?;
    jsonb(&json)
}

/// The second argument, which must have one dimension.
fn flat_texts(row: &Row<'_>) -> Result<Vec<Option<String>>> {
    if row.array(1)?.dimensions.len() > 1 {
        return Err(Error::new(
            SqlState::ARRAY_SUBSCRIPT_ERROR,
            "wrong number of array subscripts",
        ));
    }
    row.texts(1)
}

/// `json[b]_strip_nulls`
pub(in crate::kernels) fn strip_nulls(row: &Row<'_>) -> Result<Value> {
    if row.is_json(0) {
        let mut text = String::new();
        json::strip_text_nulls(row.text(0), &mut text)?;
        return Ok(Value::text(text));
    }
    let mut json = row.jsonb(0)?;
    json::strip_nulls(&mut json);
    Ok(Value::json(&json))
}
