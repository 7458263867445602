//! SQLite's spellings: a document as json, jsonb or text, and paths that are read strictly.

use varve_types::{Decimal, Json, Result, Value};

use super::access::{Step, into_text, into_view, json_as_text};
use crate::json::{
    PathStep, Shallow, Token, check_json, minified, parse_json, parse_sqlite_path, shallow,
    text_kind, write_json, write_string,
};
use crate::kernels::math::arithmetic::count;
use crate::tree::Row;

fn steps_of(path: &str) -> Result<Vec<Step>> {
    let steps = parse_sqlite_path(path)?.into_iter();
    Ok(steps.map(Step::from).collect())
}

impl From<PathStep> for Step {
    fn from(step: PathStep) -> Step {
        match step {
            PathStep::Key(key) => Step::Key(key),
            PathStep::Element(index) => Step::Element(index),
        }
    }
}

/// The right side of `->` beside a text: an index, a path, or a key.
fn steps_at(row: &Row<'_>, i: usize) -> Result<Vec<Step>> {
    match row.value(i) {
        Value::Text(path) if path.starts_with('$') => steps_of(&path),
        Value::Text(key) => Ok(vec![Step::Key(key.to_string())]),
        index => Ok(vec![Step::Element(index.integer().unwrap_or(0))]),
    }
}

/// The text of what steps lead to in the first argument; `None` where nothing is.
fn found(row: &Row<'_>, steps: &[Step]) -> Result<Option<String>> {
    if row.is_jsonb(0) {
        let mut view = row.view(0)?;
        for step in steps {
            match into_view(view, step) {
                Some(found) => view = found,
                None => return Ok(None),
            }
        }
        return Ok(view.to_json().as_ref().map(written));
    }
    let mut text = document(row, 0)?;
    for step in steps {
        match into_text(text, step)? {
            Some(found) => text = found,
            None => return Ok(None),
        }
    }
    Ok(Some(text.to_owned()))
}

/// A document that is json, or a text that must be.
pub(super) fn document<'a>(row: &'a Row<'_>, i: usize) -> Result<&'a str> {
    let text = row.text(i);
    if !row.is_json(i) {
        check_json(text)?;
    }
    Ok(text.trim_matches([' ', '\t', '\n', '\r']))
}

fn written(json: &Json) -> String {
    let mut text = String::new();
    write_json(json, &mut text);
    text
}

/// `text -> step`
pub(in crate::kernels) fn get(row: &Row<'_>) -> Result<Value> {
    let found = found(row, &steps_at(row, 1)?)?;
    Ok(found.map_or(Value::Null, Value::text))
}

/// `text ->> step`
pub(in crate::kernels) fn get_text(row: &Row<'_>) -> Result<Value> {
    let found = found(row, &steps_at(row, 1)?)?;
    found.map_or(Ok(Value::Null), |found| json_as_text(&found))
}

/// `json_extract(document, path, ...)`: as `->>` gives it; of several paths an array of what they
/// find.
pub(in crate::kernels) fn extract(row: &Row<'_>) -> Result<Value> {
    if row.args.len() == 2 {
        let found = found(row, &steps_of(row.text(1))?)?;
        return found.map_or(Ok(Value::Null), |found| json_as_text(&found));
    }
    let mut array = String::new();
    for i in 1..row.args.len() {
        array.push(if i == 1 { '[' } else { ',' });
        match found(row, &steps_of(row.text(i))?)? {
            Some(found) => minified(&found, &mut array)?,
            None => array.push_str("null"),
        }
    }
    array.push(']');
    Ok(Value::text(array))
}

/// `json_extract_number(document, path or key)`: what SQLite compares with numbers. Whatever is no
/// number is NaN, which is above all of them, as texts are in SQLite.
pub(in crate::kernels) fn number(row: &Row<'_>) -> Result<Value> {
    let Some(found) = found(row, &steps_at(row, 1)?)? else {
        return Ok(Value::Null);
    };
    Ok(match parse_json(&found)? {
        Json::Null => Value::Null,
        Json::Boolean(truth) => Value::Numeric(Decimal::from(i64::from(truth))),
        Json::Number(number) => Value::Numeric(number),
        _ => Value::Numeric(Decimal::NAN),
    })
}

/// What a function with an optional path is about.
fn meant(row: &Row<'_>) -> Result<Option<String>> {
    match row.args.len() {
        1 => found(row, &[]),
        _ => found(row, &steps_of(row.text(1))?),
    }
}

/// `json_type(document [, path])`
pub(in crate::kernels) fn type_name(row: &Row<'_>) -> Result<Value> {
    let Some(found) = meant(row)? else {
        return Ok(Value::Null);
    };
    Ok(Value::text(match text_kind(&found)? {
        "string" => "text",
        "boolean" if found == "true" => "true",
        "boolean" => "false",
        "number" if found.contains(['.', 'e', 'E']) => "real",
        "number" => "integer",
        other => other,
    }))
}

/// `json_array_length(document, path)`
pub(in crate::kernels) fn length_at(row: &Row<'_>) -> Result<Value> {
    match meant(row)? {
        None => Ok(Value::Null),
        Some(found) => match shallow(&found)? {
            Shallow::Array(items) => count(items.len()),
            _ => count(0),
        },
    }
}

/// `json_valid(text)`
pub(in crate::kernels) fn valid(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Int4(i32::from(check_json(row.text(0)).is_ok())))
}

/// `json_patch(document, patch)`, as RFC 7396 has it.
pub(in crate::kernels) fn patch(row: &Row<'_>) -> Result<Value> {
    if row.is_jsonb(0) {
        return Ok(Value::json(&patched_value(row.jsonb(0)?, row.jsonb(1)?)));
    }
    let (target, patch) = (document(row, 0)?, document(row, 1)?);
    let mut out = String::new();
    write_patched(Some(target), patch, &mut out)?;
    Ok(Value::text(out))
}

/// Members keep their order, and new ones come behind them.
fn write_patched(target: Option<&str>, patch: &str, out: &mut String) -> Result<()> {
    let Shallow::Object(changes) = shallow(patch)? else {
        return minified(patch, out);
    };
    let members = match target.map(shallow).transpose()? {
        Some(Shallow::Object(members)) => members,
        _ => Vec::new(),
    };
    let mut first = '{';
    let mut write_key = |key: &str, out: &mut String| {
        out.push(first);
        first = ',';
        write_string(key, out);
        out.push(':');
    };
    for (key, value) in &members {
        match changes.iter().find(|(changed, _)| changed == key) {
            None => {
                write_key(key, out);
                minified(value, out)?;
            }
            Some((_, change)) if is_null(change)? => {}
            Some((_, change)) => {
                write_key(key, out);
                write_patched(Some(value), change, out)?;
            }
        }
    }
    for (key, change) in &changes {
        if !members.iter().any(|(known, _)| known == key) && !is_null(change)? {
            write_key(key, out);
            write_patched(None, change, out)?;
        }
    }
    if first == '{' {
        out.push('{');
    }
    out.push('}');
    Ok(())
}

fn is_null(text: &str) -> Result<bool> {
    Ok(matches!(shallow(text)?, Shallow::Scalar(Token::Null, _)))
}

fn patched_value(target: Json, patch: Json) -> Json {
    let Json::Object(changes) = patch else {
        return patch;
    };
    let mut members = match target {
        Json::Object(members) => members,
        _ => Vec::new(),
    };
    for (key, change) in changes {
        let at = members.iter().position(|(known, _)| *known == key);
        let known = at.map(|at| members.remove(at).1);
        if change != Json::Null {
            let value = patched_value(known.unwrap_or(Json::Null), change);
            members.push((key, value));
        }
    }
    Json::object(members)
}
