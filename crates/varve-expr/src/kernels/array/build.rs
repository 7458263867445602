//! Arrays from elements and from arrays.

use varve_types::{ArrayDimension, ArrayValue, Error, Result, SqlState, Value, meter};

use super::{check_size, element_of_result, finished, subscript_error};
use crate::tree::Row;

/// `ARRAY[a, b, ...]`
pub(in crate::kernels) fn construct(row: &Row<'_>) -> Result<Value> {
    let values = (0..row.args.len()).map(|i| row.value(i)).collect();
    finished(ArrayValue::of(element_of_result(row), values))
}

/// `ARRAY[array, array, ...]`: one dimension more.
pub(in crate::kernels) fn stack(row: &Row<'_>) -> Result<Value> {
    let mut stacked: Option<ArrayValue> = None;
    let mut has_empty = false;
    for i in 0..row.args.len() {
        let inner = row
            .nullable_array(i)?
            .filter(|inner| !inner.dimensions.is_empty());
        match (&mut stacked, inner) {
            (_, None) => has_empty = true,
            (Some(stacked), Some(inner)) => {
                if stacked.dimensions.get(1..) != Some(&*inner.dimensions) {
                    return Err(uneven());
                }
                stacked.values.extend(inner.values);
                check_size(stacked.values.len())?;
            }
            (None, Some(mut inner)) => {
                let outer = ArrayDimension::of(row.args.len(), 1);
                inner.dimensions.insert(0, outer);
                stacked = Some(inner);
            }
        }
    }
    match stacked {
        Some(_) if has_empty => Err(uneven()),
        Some(stacked) => finished(stacked),
        None => finished(ArrayValue::of(element_of_result(row), Vec::new())),
    }
}

fn uneven() -> Error {
    subscript_error("multidimensional arrays must have array expressions with matching dimensions")
}

/// `array_fill(value, lengths [, lower bounds])`
pub(in crate::kernels) fn fill(row: &Row<'_>) -> Result<Value> {
    let null = |message: &str| Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message);
    let numbers = |i: usize| -> Result<Vec<i32>> {
        let array = row.nullable_array(i)?;
        let array =
            array.ok_or_else(|| null("dimension array or low bound array cannot be null"))?;
        if array.dimensions.len() > 1 {
            let error = subscript_error("wrong number of array subscripts");
            return Err(error.with_detail("Dimension array must be one dimensional."));
        }
        let numbers = array.values.iter().map(|value| match value {
            Value::Int4(number) => Ok(*number),
            _ => Err(null("dimension values cannot be null")),
        });
        numbers.collect()
    };
    let lengths = numbers(1)?;
    let lowers = match row.args.len() {
        3.. => numbers(2)?,
        _ => vec![1; lengths.len()],
    };
    if lengths.len() > varve_types::ARRAY_DIMENSIONS_MAX {
        return Err(crate::cast::too_many_dimensions(lengths.len()));
    }
    if lowers.len() != lengths.len() {
        let error = subscript_error("wrong number of array subscripts");
        let detail = "Low bound array has different size than dimensions array.";
        return Err(error.with_detail(detail));
    }
    let mut count = i32::from(!lengths.is_empty());
    let mut dimensions = Vec::with_capacity(lengths.len());
    for (length, lower) in lengths.into_iter().zip(lowers) {
        // A negative length is refused, whatever the others are.
        let known = u32::try_from(length).ok().zip(count.checked_mul(length));
        let Some((length, so_far)) = known else {
            return check_size(usize::MAX).map(|()| Value::Null);
        };
        count = so_far;
        dimensions.push(ArrayDimension { length, lower });
    }
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    check_size(count)?;
    meter::room(count.saturating_mul(size_of::<Value>()))?;
    if count == 0 {
        dimensions.clear();
    }
    finished(ArrayValue {
        element: element_of_result(row),
        dimensions,
        values: vec![row.value(0); count],
    })
}
