//! Elements looked for in arrays.

use core::cmp::Ordering;

use varve_types::{ArrayValue, ElementType, Error, Result, SqlState, Value};

use super::{end, finished, present};
use crate::kernels::math::arithmetic::count;
use crate::tree::Row;

/// How elements are compared. NULL is the same as NULL and nothing else.
pub(super) struct Equality;

impl Equality {
    /// `42883` for a type without equality.
    pub(super) fn of(element: ElementType) -> Result<Equality> {
        if element == ElementType::Json {
            let message = "could not identify an equality operator for type json";
            return Err(Error::new(SqlState::UNDEFINED_FUNCTION, message));
        }
        Ok(Equality)
    }

    pub(super) fn is_same(&self, left: &Value, right: &Value) -> bool {
        (left.is_null() && right.is_null()) || left.compare(right) == Some(Ordering::Equal)
    }
}

/// The subscripts at which a value stands, from a subscript on; `None` for a NULL array.
fn places(row: &Row<'_>) -> Result<Option<Vec<Value>>> {
    let Some(array) = row.nullable_array(0)? else {
        return Ok(None);
    };
    if array.dimensions.len() > 1 {
        let message = "searching for elements in multidimensional arrays is not supported";
        return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
    }
    let first = match (row.args.len(), row.value(2)) {
        (3.., Value::Int4(first)) => first,
        (3.., _) => {
            return Err(Error::new(
                SqlState::NULL_VALUE_NOT_ALLOWED,
                "initial position must not be null",
            ));
        }
        _ => i32::MIN,
    };
    let equality = Equality::of(array.element)?;
    let lower = array
        .dimensions
        .first()
        .map_or(1, |dimension| dimension.lower);
    let wanted = row.value(1);
    let found = (i64::from(lower)..)
        .zip(&array.values)
        .filter_map(|(subscript, value)| Some((i32::try_from(subscript).ok()?, value)))
        .filter(|(subscript, value)| *subscript >= first && equality.is_same(value, &wanted));
    Ok(Some(
        found.map(|(subscript, _)| Value::Int4(subscript)).collect(),
    ))
}

pub(in crate::kernels) fn position(row: &Row<'_>) -> Result<Value> {
    let found = places(row)?.and_then(|found| found.into_iter().next());
    Ok(found.unwrap_or(Value::Null))
}

pub(in crate::kernels) fn positions(row: &Row<'_>) -> Result<Value> {
    match places(row)? {
        None => Ok(Value::Null),
        Some(found) => finished(ArrayValue::of(ElementType::Int4, found)),
    }
}

/// The elements that are not NULL, in order, and whether there is a NULL.
fn sorted(array: ArrayValue) -> Result<(Vec<Value>, bool)> {
    Equality::of(array.element)?;
    let count = array.values.len();
    let mut values = array.values;
    values.retain(|value| !value.is_null());
    let has_null = values.len() < count;
    varve_sort::sort_by(&mut values, |a, b| a.compare(b).unwrap_or(Ordering::Equal));
    Ok((values, has_null))
}

fn holds(sorted: &[Value], value: &Value) -> bool {
    let found = sorted.binary_search_by(|other| other.compare(value).unwrap_or(Ordering::Equal));
    found.is_ok()
}

/// Whether each element of one is in the other; NULLs are in nothing.
fn covers(outer: ArrayValue, inner: ArrayValue) -> Result<Value> {
    let (outer, _) = sorted(outer)?;
    let within = |value: &Value| !value.is_null() && holds(&outer, value);
    Ok(Value::Boolean(inner.values.iter().all(within)))
}

/// `@>`
pub(in crate::kernels) fn contains(row: &Row<'_>) -> Result<Value> {
    covers(present(row, 0)?, present(row, 1)?)
}

/// `<@`
pub(in crate::kernels) fn is_contained(row: &Row<'_>) -> Result<Value> {
    covers(present(row, 1)?, present(row, 0)?)
}

/// `&&`
pub(in crate::kernels) fn overlaps(row: &Row<'_>) -> Result<Value> {
    let (left, _) = sorted(present(row, 0)?)?;
    let right = present(row, 1)?;
    let common = |value: &Value| !value.is_null() && holds(&left, value);
    Ok(Value::Boolean(right.values.iter().any(common)))
}

/// `width_bucket(value, thresholds)`
pub(in crate::kernels) fn width_bucket(row: &Row<'_>) -> Result<Value> {
    let thresholds = present(row, 1)?;
    let invalid = |state, message: &str| Err(Error::new(state, message));
    if thresholds.dimensions.len() > 1 {
        let message = "thresholds must be one-dimensional array";
        return invalid(SqlState::ARRAY_SUBSCRIPT_ERROR, message);
    }
    if thresholds.values.iter().any(Value::is_null) {
        let message = "thresholds array must not contain NULLs";
        return invalid(SqlState::NULL_VALUE_NOT_ALLOWED, message);
    }
    let value = row.value(0);
    let is_below = |threshold: &Value| threshold.compare(&value).is_some_and(Ordering::is_le);
    count(thresholds.values.partition_point(is_below))
}

/// The subscripts of a dimension.
pub(super) fn subscripts_of(array: &ArrayValue, dimension: i32) -> Option<(i64, i64)> {
    let index = usize::try_from(dimension.checked_sub(1)?).ok()?;
    let dimension = *array.dimensions.get(index)?;
    Some((i64::from(dimension.lower), end(dimension) - 1))
}
