//! Functions and operators of arrays.

mod build;
mod edit;
mod facts;
mod random;
mod search;
mod sets;
mod subscript;
mod text;

use varve_types::{ArrayDimension, ArrayValue, ElementType, Error, Result, SqlState, Value};

use crate::tree::Row;

pub(super) use build::{construct, fill, stack};
pub(super) use edit::{append, concatenate, prepend, remove, replace, trim};
pub(super) use facts::{cardinality, dimensions, length, lower, ndims, upper};
pub(super) use random::{sample, shuffle};
pub(super) use search::{contains, is_contained, overlaps, position, positions, width_bucket};
pub(super) use sets::{subscripts, unnest};
pub(super) use subscript::{assign_element, assign_slice, element, slice};
pub(super) use text::{join, split, split_to_rows};

/// The most elements of an array that a function makes.
const ELEMENTS_MAX: usize = 1 << 22;

/// The array at argument `i` of a strict function.
fn present(row: &Row<'_>, i: usize) -> Result<ArrayValue> {
    row.nullable_array(i)?
        .ok_or_else(|| Error::internal("a strict function of a NULL"))
}

/// The array at argument `i`, without elements where it is NULL; of the type of the result then.
fn array_or_empty(row: &Row<'_>, i: usize) -> Result<ArrayValue> {
    let found = row.nullable_array(i)?;
    Ok(found.unwrap_or_else(|| ArrayValue::of(element_of_result(row), Vec::new())))
}

fn element_of_result(row: &Row<'_>) -> ElementType {
    match row.result {
        varve_types::LogicalType::Array(element) => element,
        _ => ElementType::Text,
    }
}

/// The array as a value; `54000` where it has too many elements or dimensions, `2202E` where its
/// subscripts do not fit an integer.
fn finished(array: ArrayValue) -> Result<Value> {
    check_size(array.values.len())?;
    crate::cast::check_shape(&array)?;
    Ok(Value::array(&array))
}

fn check_size(elements: usize) -> Result<()> {
    if elements <= ELEMENTS_MAX {
        return Ok(());
    }
    let message = format!("array size exceeds the maximum allowed ({ELEMENTS_MAX})");
    Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message))
}

/// The subscript behind the last of a dimension.
fn end(dimension: ArrayDimension) -> i64 {
    i64::from(dimension.lower) + i64::from(dimension.length)
}

fn subscript_error(message: &str) -> Error {
    Error::new(SqlState::ARRAY_SUBSCRIPT_ERROR, message)
}
