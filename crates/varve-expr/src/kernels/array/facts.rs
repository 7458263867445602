//! What the shape of an array is.

use core::fmt::Write;

use varve_types::{ArrayDimension, Result, Value};

use super::{end, present};
use crate::kernels::math::arithmetic::count;
use crate::tree::Row;

fn dimension(row: &Row<'_>) -> Result<Option<ArrayDimension>> {
    let array = present(row, 0)?;
    let index = row
        .int4(1)
        .checked_sub(1)
        .and_then(|index| usize::try_from(index).ok());
    Ok(index.and_then(|index| array.dimensions.get(index).copied()))
}

pub(in crate::kernels) fn length(row: &Row<'_>) -> Result<Value> {
    dimension(row)?.map_or(Ok(Value::Null), |found| count(found.length as usize))
}

pub(in crate::kernels) fn lower(row: &Row<'_>) -> Result<Value> {
    Ok(dimension(row)?.map_or(Value::Null, |found| Value::Int4(found.lower)))
}

pub(in crate::kernels) fn upper(row: &Row<'_>) -> Result<Value> {
    let found = dimension(row)?.and_then(|found| i32::try_from(end(found) - 1).ok());
    Ok(found.map_or(Value::Null, Value::Int4))
}

pub(in crate::kernels) fn ndims(row: &Row<'_>) -> Result<Value> {
    match present(row, 0)?.dimensions.len() {
        0 => Ok(Value::Null),
        dimensions => count(dimensions),
    }
}

pub(in crate::kernels) fn cardinality(row: &Row<'_>) -> Result<Value> {
    count(present(row, 0)?.values.len())
}

/// `array_dims`: `[1:2][1:3]`.
pub(in crate::kernels) fn dimensions(row: &Row<'_>) -> Result<Value> {
    let array = present(row, 0)?;
    let mut text = String::new();
    for dimension in &array.dimensions {
        let _ = write!(text, "[{}:{}]", dimension.lower, end(*dimension) - 1);
    }
    Ok(if text.is_empty() {
        Value::Null
    } else {
        Value::text(text)
    })
}
