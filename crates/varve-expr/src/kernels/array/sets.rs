//! The elements and subscripts of arrays as rows.

use varve_types::{Result, Value, meter};

use super::present;
use super::search::subscripts_of;
use crate::tree::set_rows::values;
use crate::tree::{Row, SetRows};

/// `unnest(array)`
pub(in crate::kernels) fn unnest(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    Ok(values(present(row, 0)?.values))
}

/// `generate_subscripts(array, dimension [, reverse])`
pub(in crate::kernels) fn subscripts(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    let Some((first, last)) = subscripts_of(&present(row, 0)?, row.int4(1)) else {
        return Ok(values(Vec::new()));
    };
    let subscripts = first..=last;
    let value = |subscript| i32::try_from(subscript).map_or(Value::Null, Value::Int4);
    meter::room((subscripts.clone().count()).saturating_mul(size_of::<Value>()))?;
    Ok(values(if row.value(2) == Value::Boolean(true) {
        subscripts.rev().map(value).collect()
    } else {
        subscripts.map(value).collect()
    }))
}
