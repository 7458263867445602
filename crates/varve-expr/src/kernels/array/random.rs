//! Arrays in an order of chance.

use varve_types::{ArrayDimension, ArrayValue, Error, Result, SqlState, Value};

use super::{finished, present};
use crate::kernels::session::host;
use crate::tree::Row;

/// `array_shuffle(array)`
pub(in crate::kernels) fn shuffle(row: &Row<'_>) -> Result<Value> {
    let array = present(row, 0)?;
    let count = items(&array);
    chosen(row, array, count, true)
}

/// `array_sample(array, n)`
pub(in crate::kernels) fn sample(row: &Row<'_>) -> Result<Value> {
    let array = present(row, 0)?;
    let all = items(&array);
    match usize::try_from(row.int4(1)).ok().filter(|n| *n <= all) {
        Some(wanted) => chosen(row, array, wanted, false),
        None => Err(Error::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("sample size must be between 0 and {all}"),
        )),
    }
}

/// How many items the outermost dimension has.
fn items(array: &ArrayValue) -> usize {
    let first = array.dimensions.first();
    first.map_or(0, |dimension| dimension.length as usize)
}

/// So many items of the outermost dimension, the first of them drawn first.
fn chosen(row: &Row<'_>, array: ArrayValue, wanted: usize, keeps_bound: bool) -> Result<Value> {
    let host = host(row)?;
    let all = items(&array);
    let width = array.values.len().checked_div(all).unwrap_or(0);
    let mut rest: Vec<usize> = (0..all).collect();
    let mut values = Vec::with_capacity(wanted * width);
    for _ in 0..wanted {
        let left = (rest.len() as u64).max(1);
        let place = usize::try_from(host.random_u64() % left).unwrap_or(0);
        let from = rest.swap_remove(place) * width;
        let item = array.values.get(from..from + width);
        values.extend_from_slice(item.unwrap_or_default());
    }
    let mut dimensions = match values.is_empty() {
        true => Vec::new(),
        false => array.dimensions,
    };
    if let Some(outer) = dimensions.first_mut() {
        *outer = ArrayDimension::of(wanted, if keeps_bound { outer.lower } else { 1 });
    }
    finished(ArrayValue {
        element: array.element,
        dimensions,
        values,
    })
}
