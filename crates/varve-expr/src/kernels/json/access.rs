//! `-> ->> #> #>>` and the functions that are like them.

use varve_types::{Json, JsonKind, JsonView, LogicalType, Result, Value};

use crate::json::{Shallow, Token, parse_index, shallow, write_json};
use crate::tree::Row;

/// A step into a value.
pub(super) enum Step {
    /// A key of an object.
    Key(String),
    /// An element of an array.
    Element(i64),
    /// Either, by what the value is.
    Any(String),
}

/// `-> ->>`, by a key or an index.
pub(in crate::kernels) fn get(row: &Row<'_>) -> Result<Value> {
    let step = match row.value(1) {
        Value::Text(key) => Step::Key(key.to_string()),
        index => Step::Element(index.integer().unwrap_or(0)),
    };
    reach(row, &[step])
}

/// `#> #>>`
pub(in crate::kernels) fn get_path(row: &Row<'_>) -> Result<Value> {
    let steps: Option<Vec<Step>> = row
        .texts(1)?
        .into_iter()
        .map(|step| step.map(Step::Any))
        .collect();
    steps.map_or(Ok(Value::Null), |steps| reach(row, &steps))
}

/// `json[b]_extract_path[_text]`
pub(in crate::kernels) fn extract_path(row: &Row<'_>) -> Result<Value> {
    let steps: Option<Vec<Step>> = (1..row.args.len())
        .map(|i| row.value(i).str().map(|step| Step::Any(step.to_owned())))
        .collect();
    steps.map_or(Ok(Value::Null), |steps| reach(row, &steps))
}

/// What the steps lead to in the first argument, as json, jsonb or text.
fn reach(row: &Row<'_>, steps: &[Step]) -> Result<Value> {
    let as_text = row.result == LogicalType::Text;
    if row.is_json(0) {
        let mut text = row.text(0).trim_matches([' ', '\t', '\n', '\r']);
        for step in steps {
            match into_text(text, step)? {
                Some(found) => text = found,
                None => return Ok(Value::Null),
            }
        }
        return Ok(if as_text {
            json_as_text(text)?
        } else {
            Value::text(text)
        });
    }
    let mut view = row.view(0)?;
    for step in steps {
        match into_view(view, step) {
            Some(found) => view = found,
            None => return Ok(Value::Null),
        }
    }
    let json = view.to_json();
    let json = json.ok_or_else(|| varve_types::Error::corrupted("a jsonb value"))?;
    Ok(if as_text {
        jsonb_as_text(&json)
    } else {
        Value::json(&json)
    })
}

pub(super) fn into_view<'a>(view: JsonView<'a>, step: &Step) -> Option<JsonView<'a>> {
    match (step, view.kind()?) {
        (Step::Key(key) | Step::Any(key), JsonKind::Object(_)) => view.member(key),
        (Step::Element(index), JsonKind::Array(_)) => view.element(*index),
        (Step::Any(step), JsonKind::Array(_)) => view.element(parse_index(step)?),
        // PostgreSQL holds a scalar as an array of one.
        (Step::Element(0 | -1), kind) if !matches!(kind, JsonKind::Object(_)) => Some(view),
        _ => None,
    }
}

pub(super) fn into_text<'a>(text: &'a str, step: &Step) -> Result<Option<&'a str>> {
    Ok(match (shallow(text)?, step) {
        (Shallow::Object(pairs), Step::Key(key) | Step::Any(key)) => {
            let found = pairs.into_iter().rev().find(|(found, _)| found == key);
            found.map(|(_, value)| value)
        }
        (Shallow::Array(values), Step::Element(_) | Step::Any(_)) => {
            let index = match step {
                Step::Element(index) => Some(*index),
                Step::Any(step) | Step::Key(step) => parse_index(step),
            };
            let place = index.and_then(|index| crate::json::position(index, values.len()));
            place.and_then(|place| values.get(place).copied())
        }
        _ => None,
    })
}

/// A `json` value as text: strings without quotes, null as NULL.
pub(super) fn json_as_text(text: &str) -> Result<Value> {
    Ok(match shallow(text)? {
        Shallow::Scalar(Token::String, string) => Value::text(string),
        Shallow::Scalar(Token::Null, _) => Value::Null,
        _ => Value::text(text),
    })
}

/// A jsonb value as text: strings without quotes, null as NULL.
pub(super) fn jsonb_as_text(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::String(text) => Value::text(text.as_str()),
        other => {
            let mut text = String::new();
            write_json(other, &mut text);
            Value::text(text)
        }
    }
}
