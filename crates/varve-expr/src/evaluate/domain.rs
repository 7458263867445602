//! Arrays of a domain.

use std::sync::Arc;

use varve_types::{Batch, Column, Error, Invariant, Result, VECTOR_ROWS, Value};

use super::evaluate;
use crate::tree::Row;

/// Whether the elements of an array are of a domain: the array, the type of such arrays.
pub(super) fn elements_hold(row: &Row<'_>) -> Result<Value> {
    let names = row.context.locale.names.as_ref();
    let names = names.ok_or_else(|| Error::unsupported("an array of a domain here"))?;
    let number = u32::try_from(row.int8(1)).or_broken("the type of a domain")?;
    let condition = names.0.element_condition(number)?;
    let Some(array) = row.nullable_array(0)? else {
        return Ok(Value::Boolean(true));
    };
    for values in array.values.chunks(VECTOR_ROWS) {
        let column = Column::from_values(array.element.logical(), values);
        let batch = Batch::new(vec![Arc::new(column)], values.len());
        evaluate(&condition, &batch, row.context)?;
    }
    Ok(Value::Boolean(true))
}
