//! Functions that answer with the members of a value.

use varve_types::meter::ValueList;
use varve_types::{Json, LogicalType, Result, Value};

use super::access::{json_as_text, jsonb_as_text};
use super::invalid;
use crate::json::{Shallow, jsonb, shallow};
use crate::tree::set_rows;
use crate::tree::{Row, SetRows};

/// `json[b]_array_elements[_text]`
pub(in crate::kernels) fn array_elements(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    let as_text = row.result == LogicalType::Text;
    let values: Vec<Value> = if row.is_json(0) {
        let name = if as_text {
            "json_array_elements_text"
        } else {
            "json_array_elements"
        };
        let wrong = |what: &str| Err(invalid(format!("cannot call {name} on a {what}")));
        match shallow(row.text(0))? {
            Shallow::Array(values) => texts(&values, as_text)?,
            Shallow::Object(_) => return wrong("non-array"),
            Shallow::Scalar(..) => return wrong("scalar"),
        }
    } else {
        match row.jsonb(0)? {
            Json::Array(values) => members(&values, as_text)?,
            Json::Object(_) => return Err(invalid("cannot extract elements from an object")),
            _ => return Err(invalid("cannot extract elements from a scalar")),
        }
    };
    Ok(set_rows::values(values))
}

fn texts(values: &[&str], as_text: bool) -> Result<Vec<Value>> {
    let mut found = ValueList::default();
    for value in values {
        found.push(match as_text {
            true => json_as_text(value)?,
            false => Value::text(*value),
        })?;
    }
    Ok(found.into_values())
}

fn members(values: &[Json], as_text: bool) -> Result<Vec<Value>> {
    let mut found = ValueList::default();
    for value in values {
        found.push(match as_text {
            true => jsonb_as_text(value),
            false => jsonb(value)?,
        })?;
    }
    Ok(found.into_values())
}

/// `json[b]_object_keys`
pub(in crate::kernels) fn object_keys(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    let keys: Vec<String> = if row.is_json(0) {
        match shallow(row.text(0))? {
            Shallow::Object(pairs) => pairs.into_iter().map(|(key, _)| key).collect(),
            Shallow::Array(_) => return Err(no_keys("json", "an array")),
            Shallow::Scalar(..) => return Err(no_keys("json", "a scalar")),
        }
    } else {
        match row.jsonb(0)? {
            Json::Object(pairs) => pairs.into_iter().map(|(key, _)| key).collect(),
            Json::Array(_) => return Err(no_keys("jsonb", "an array")),
            _ => return Err(no_keys("jsonb", "a scalar")),
        }
    };
    Ok(set_rows::values(
        keys.into_iter().map(Value::text).collect(),
    ))
}

fn no_keys(ty: &str, what: &str) -> varve_types::Error {
    invalid(format!("cannot call {ty}_object_keys on {what}"))
}

/// `json[b]_each`
pub(in crate::kernels) fn each(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    pairs(row, false)
}

/// `json[b]_each_text`
pub(in crate::kernels) fn each_text(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    pairs(row, true)
}

fn pairs(row: &Row<'_>, as_text: bool) -> Result<Box<dyn SetRows>> {
    let (keys, values): (Vec<String>, Vec<Value>) = if row.is_json(0) {
        match shallow(row.text(0))? {
            Shallow::Object(pairs) => {
                let (keys, values): (Vec<String>, Vec<&str>) = pairs.into_iter().unzip();
                (keys, texts(&values, as_text)?)
            }
            Shallow::Array(_) => {
                return Err(invalid("cannot deconstruct an array as an object"));
            }
            Shallow::Scalar(..) => return Err(invalid("cannot deconstruct a scalar")),
        }
    } else {
        match row.jsonb(0)? {
            Json::Object(pairs) => {
                let (keys, values): (Vec<String>, Vec<Json>) = pairs.into_iter().unzip();
                (keys, members(&values, as_text)?)
            }
            _ => {
                let name = if as_text {
                    "jsonb_each_text"
                } else {
                    "jsonb_each"
                };
                return Err(invalid(format!("cannot call {name} on a non-object")));
            }
        }
    };
    let rows = keys.into_iter().zip(values);
    let rows = rows.map(|(key, value)| vec![Value::text(key), value]);
    Ok(set_rows::rows(rows.collect()))
}
