//! Functions and operators over jsonpaths: `(target, path, vars, silent)`.

use varve_types::{Error, Json, Result, SqlState, Value};

use crate::json::{Found, FoundRows, Query, decoded, jsonb, parse_path};
use crate::tree::{Row, SetRows};

/// What a call asks for, and its answer.
fn asked<T>(row: &Row<'_>, uses_zone: bool, ask: fn(&Query<'_>, bool) -> Result<T>) -> Result<T> {
    let path = parse_path(row.text(1))?;
    let root = row.jsonb(0)?;
    let variables = match row.value(2) {
        Value::Jsonb(stored) => Some(decoded(&stored)?),
        _ => None,
    };
    // The operators have no more arguments, and pass over errors.
    let silent = row.args.len() < 3 || row.value(3) == Value::Boolean(true);
    ask(
        &Query::new(&path, &root, variables.as_ref(), uses_zone)?,
        silent,
    )
}

/// `jsonb_path_exists`, `@?`
pub(in crate::kernels) fn path_exists(row: &Row<'_>) -> Result<Value> {
    exists(row, false)
}

/// `jsonb_path_exists_tz`
pub(in crate::kernels) fn path_exists_tz(row: &Row<'_>) -> Result<Value> {
    exists(row, true)
}

fn exists(row: &Row<'_>, uses_zone: bool) -> Result<Value> {
    let found = asked(row, uses_zone, |query, silent| query.exists(silent))?;
    Ok(found.map_or(Value::Null, Value::Boolean))
}

/// `jsonb_path_match`, `@@`
pub(in crate::kernels) fn path_match(row: &Row<'_>) -> Result<Value> {
    matched(row, false)
}

/// `jsonb_path_match_tz`
pub(in crate::kernels) fn path_match_tz(row: &Row<'_>) -> Result<Value> {
    matched(row, true)
}

fn matched(row: &Row<'_>, uses_zone: bool) -> Result<Value> {
    asked(row, uses_zone, |query, silent| {
        match query.all(silent)?.into_values().as_slice() {
            [Found::Json(Json::Boolean(truth))] => Ok(Value::Boolean(*truth)),
            [Found::Json(Json::Null)] => Ok(Value::Null),
            _ if silent => Ok(Value::Null),
            _ => Err(Error::new(
                SqlState::SINGLETON_SQL_JSON_ITEM_REQUIRED,
                "single boolean result is expected",
            )),
        }
    })
}

/// `jsonb_path_query_array`
pub(in crate::kernels) fn path_array(row: &Row<'_>) -> Result<Value> {
    array(row, false)
}

/// `jsonb_path_array_tz`
pub(in crate::kernels) fn path_array_tz(row: &Row<'_>) -> Result<Value> {
    array(row, true)
}

fn array(row: &Row<'_>, uses_zone: bool) -> Result<Value> {
    let found = asked(row, uses_zone, |query, silent| query.all(silent))?;
    let values = found.into_rows().map(Found::into_json).collect();
    jsonb(&Json::Array(values))
}

/// `jsonb_path_query_first`
pub(in crate::kernels) fn path_first(row: &Row<'_>) -> Result<Value> {
    first(row, false)
}

/// `jsonb_path_first_tz`
pub(in crate::kernels) fn path_first_tz(row: &Row<'_>) -> Result<Value> {
    first(row, true)
}

fn first(row: &Row<'_>, uses_zone: bool) -> Result<Value> {
    let found = asked(row, uses_zone, |query, silent| query.all(silent))?;
    let first = found.into_rows().next();
    first.map_or(Ok(Value::Null), |first| jsonb(&first.into_json()))
}

/// `jsonb_path_query`
pub(in crate::kernels) fn path_query(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    rows(row, false)
}

/// `jsonb_path_query_tz`
pub(in crate::kernels) fn path_query_tz(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    rows(row, true)
}

fn rows(row: &Row<'_>, uses_zone: bool) -> Result<Box<dyn SetRows>> {
    let found = asked(row, uses_zone, |query, silent| query.all(silent))?;
    Ok(Box::new(PathRows(found.into_rows())))
}

/// Values that are encoded one by one.
struct PathRows(FoundRows);

impl SetRows for PathRows {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        let next = self.0.next().map(|found| jsonb(&found.into_json()));
        row.extend(next.transpose()?);
        Ok(!row.is_empty())
    }
}
