//! Arrays with elements added, taken away or replaced.

use varve_types::{ArrayDimension, ArrayValue, Error, Result, SqlState, Value};

use super::search::Equality;
use super::{array_or_empty, finished, present, subscript_error};
use crate::tree::Row;

/// `array || element`
pub(in crate::kernels) fn append(row: &Row<'_>) -> Result<Value> {
    let mut array = one_dimensional(array_or_empty(row, 0)?)?;
    array.values.push(row.value(1));
    lengthened(array)
}

/// `element || array`; the array keeps its lower bound.
pub(in crate::kernels) fn prepend(row: &Row<'_>) -> Result<Value> {
    let mut array = one_dimensional(array_or_empty(row, 1)?)?;
    array.values.insert(0, row.value(0));
    lengthened(array)
}

fn one_dimensional(array: ArrayValue) -> Result<ArrayValue> {
    if array.dimensions.len() > 1 {
        return Err(Error::new(
            SqlState::DATA_EXCEPTION,
            "argument must be empty or one-dimensional array",
        ));
    }
    Ok(array)
}

fn lengthened(mut array: ArrayValue) -> Result<Value> {
    let lower = array
        .dimensions
        .first()
        .map_or(1, |dimension| dimension.lower);
    array.dimensions = vec![ArrayDimension::of(array.values.len(), lower)];
    finished(array)
}

/// `array || array`; of arrays with one dimension more, the other is an element.
pub(in crate::kernels) fn concatenate(row: &Row<'_>) -> Result<Value> {
    let (left, right) = match (row.nullable_array(0)?, row.nullable_array(1)?) {
        (None, None) => return Ok(Value::Null),
        (Some(only), None) | (None, Some(only)) => return finished(only),
        (Some(left), Some(right)) => (left, right),
    };
    if left.dimensions.is_empty() {
        return finished(right);
    }
    if right.dimensions.is_empty() {
        return finished(left);
    }
    let incompatible = |detail: String| {
        Err(subscript_error("cannot concatenate incompatible arrays").with_detail(detail))
    };
    let (of_left, of_right) = (left.dimensions.len(), right.dimensions.len());
    let (outer, inner) = if of_left >= of_right {
        (&left.dimensions, &right.dimensions)
    } else {
        (&right.dimensions, &left.dimensions)
    };
    if of_left.abs_diff(of_right) > 1 {
        return incompatible(format!(
            "Arrays of {of_left} and {of_right} dimensions are not compatible for concatenation."
        ));
    }
    let mut dimensions = outer.clone();
    let added = match outer.len() == inner.len() {
        true if outer.get(1..) != inner.get(1..) => {
            let detail =
                "Arrays with differing element dimensions are not compatible for concatenation.";
            return incompatible(detail.to_owned());
        }
        true => inner.first().map_or(0, |dimension| dimension.length),
        false if outer.get(1..) != Some(inner) => {
            let detail = "Arrays with differing dimensions are not compatible for concatenation.";
            return incompatible(detail.to_owned());
        }
        false => 1,
    };
    if of_left == of_right
        && let Some(first) = dimensions.first_mut()
        && let Some(of_left) = left.dimensions.first()
    {
        *first = *of_left;
    }
    if let Some(first) = dimensions.first_mut() {
        first.length += added;
    }
    let mut values = left.values;
    values.extend(right.values);
    finished(ArrayValue {
        element: left.element,
        dimensions,
        values,
    })
}

/// `array_remove(array, value)`
pub(in crate::kernels) fn remove(row: &Row<'_>) -> Result<Value> {
    let Some(mut array) = row.nullable_array(0)? else {
        return Ok(Value::Null);
    };
    if array.dimensions.len() > 1 {
        let message = "removing elements from multidimensional arrays is not supported";
        return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
    }
    let equality = Equality::of(array.element)?;
    let wanted = row.value(1);
    let before = array.values.len();
    array
        .values
        .retain(|value| !equality.is_same(value, &wanted));
    if array.values.len() == before {
        return finished(array);
    }
    if array.values.is_empty() {
        return finished(ArrayValue::of(array.element, Vec::new()));
    }
    lengthened(array)
}

/// `array_replace(array, value, other)`
pub(in crate::kernels) fn replace(row: &Row<'_>) -> Result<Value> {
    let Some(mut array) = row.nullable_array(0)? else {
        return Ok(Value::Null);
    };
    let equality = Equality::of(array.element)?;
    let (wanted, other) = (row.value(1), row.value(2));
    for value in &mut array.values {
        if equality.is_same(value, &wanted) {
            *value = other.clone();
        }
    }
    finished(array)
}

/// `trim_array(array, n)`: without the last `n`.
pub(in crate::kernels) fn trim(row: &Row<'_>) -> Result<Value> {
    let mut array = present(row, 0)?;
    let length = array
        .dimensions
        .first()
        .map_or(0, |dimension| dimension.length);
    let left = u32::try_from(row.int4(1))
        .ok()
        .and_then(|count| length.checked_sub(count));
    let Some(left) = left else {
        return Err(subscript_error(&format!(
            "number of elements to trim must be between 0 and {length}"
        )));
    };
    let each = array.values.len() / (length as usize).max(1);
    array.values.truncate(each * left as usize);
    if array.values.is_empty() {
        array.dimensions.clear();
    }
    if let Some(first) = array.dimensions.first_mut() {
        first.length = left;
    }
    for dimension in &mut array.dimensions {
        dimension.lower = 1;
    }
    finished(array)
}
