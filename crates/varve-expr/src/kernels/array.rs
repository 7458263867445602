//! Functions of arrays.

use varve_types::{ArrayValue, Error, Result, Value};

use super::operand::Row;
use crate::SetRows;
use crate::set_rows::values;

/// The array at argument `i`; without elements for anything else.
fn array(row: &Row<'_>, i: usize) -> Result<ArrayValue> {
    let Value::Array(element, stored) = row.value(i) else {
        return Err(Error::internal("a function of arrays without one"));
    };
    let array = ArrayValue::decode(element, &stored);
    array.ok_or_else(|| Error::internal("an array that cannot be read"))
}

/// `unnest(array)`
pub(super) fn unnest(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    Ok(values(array(row, 0)?.values))
}
