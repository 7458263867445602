//! Elements and slices of arrays, read and assigned.
//!
//! Each bound of a slice is three arguments: whether it was written, and its value.

use varve_types::{ArrayDimension, ArrayValue, Error, Result, SqlState, Value};

use super::{array_or_empty, check_size, end, finished, present, subscript_error};
use crate::tree::Row;

/// `array[i][j]`; NULL where there is no such element.
pub(in crate::kernels) fn element(row: &Row<'_>) -> Result<Value> {
    let array = present(row, 0)?;
    let subscripts: Vec<i32> = (1..row.args.len()).map(|i| row.int4(i)).collect();
    let place = place_of(&array.dimensions, &subscripts);
    let found = place.and_then(|place| array.values.get(place).cloned());
    Ok(found.unwrap_or(Value::Null))
}

/// The place of an element in row-major order.
fn place_of(dimensions: &[ArrayDimension], subscripts: &[i32]) -> Option<usize> {
    if dimensions.len() != subscripts.len() || dimensions.is_empty() {
        return None;
    }
    let mut place = 0_usize;
    for (dimension, subscript) in dimensions.iter().zip(subscripts) {
        let within = i64::from(*subscript) - i64::from(dimension.lower);
        let within = u32::try_from(within)
            .ok()
            .filter(|at| *at < dimension.length)?;
        place = place * dimension.length as usize + within as usize;
    }
    Some(place)
}

/// The bounds of a slice of each dimension.
struct Bounds {
    lower: Option<i32>,
    upper: Option<i32>,
}

/// The bounds from argument `first` on.
fn bounds(row: &Row<'_>, first: usize) -> Result<Vec<Bounds>> {
    let number = |i: usize| match row.value(i) {
        Value::Int4(number) => Ok(number),
        _ => Err(Error::new(
            SqlState::NULL_VALUE_NOT_ALLOWED,
            "array subscript in assignment must not be null",
        )),
    };
    let mut bounds = Vec::new();
    let mut at = first;
    while at + 2 < row.args.len() {
        let written = row.int4(at);
        bounds.push(Bounds {
            lower: if written & 1 == 0 {
                None
            } else {
                Some(number(at + 1)?)
            },
            upper: if written & 2 == 0 {
                None
            } else {
                Some(number(at + 2)?)
            },
        });
        at += 3;
    }
    Ok(bounds)
}

/// The first subscript and the length of the part of each dimension, for each of its dimensions.
type Part = Vec<(i64, u32)>;

/// The places of the elements of a part in row-major order.
fn places(dimensions: &[ArrayDimension], part: &Part) -> Vec<usize> {
    let mut places = vec![0];
    for (dimension, (first, length)) in dimensions.iter().zip(part) {
        let skipped = usize::try_from(first - i64::from(dimension.lower)).unwrap_or(0);
        let within = skipped..skipped + *length as usize;
        places = places
            .iter()
            .flat_map(|place| {
                let base = place * dimension.length as usize;
                within.clone().map(move |at| base + at)
            })
            .collect();
    }
    places
}

/// `array[i:j][k:l]`; what is outside of the array is left out.
pub(in crate::kernels) fn slice(row: &Row<'_>) -> Result<Value> {
    let array = present(row, 0)?;
    let bounds = bounds(row, 1)?;
    let empty = ArrayValue::of(array.element, Vec::new());
    if array.dimensions.len() < bounds.len() {
        return finished(empty);
    }
    let mut part = Vec::with_capacity(array.dimensions.len());
    let mut bounds = bounds.iter();
    for dimension in &array.dimensions {
        let bounds = bounds.next();
        let (lower, upper) = (i64::from(dimension.lower), end(*dimension) - 1);
        let asked = |bound: Option<i32>, default| bound.map_or(default, i64::from);
        let first = asked(bounds.and_then(|bounds| bounds.lower), lower).max(lower);
        let last = asked(bounds.and_then(|bounds| bounds.upper), upper).min(upper);
        let length = u32::try_from(last - first + 1).unwrap_or(0);
        if length == 0 {
            return finished(empty);
        }
        part.push((first, length));
    }
    let values = places(&array.dimensions, &part);
    let values = values
        .into_iter()
        .filter_map(|at| array.values.get(at).cloned());
    finished(ArrayValue {
        element: array.element,
        values: values.collect(),
        dimensions: part
            .iter()
            .map(|(_, length)| ArrayDimension {
                length: *length,
                lower: 1,
            })
            .collect(),
    })
}

/// `SET array[i][j] = value`: the array, the value, the subscripts.
pub(in crate::kernels) fn assign_element(row: &Row<'_>) -> Result<Value> {
    let mut array = array_or_empty(row, 0)?;
    let mut subscripts = Vec::new();
    for i in 2..row.args.len() {
        let Value::Int4(subscript) = row.value(i) else {
            return Err(Error::new(
                SqlState::NULL_VALUE_NOT_ALLOWED,
                "array subscript in assignment must not be null",
            ));
        };
        subscripts.push(subscript);
    }
    if array.dimensions.is_empty() {
        let dimension = |lower: &i32| ArrayDimension {
            length: 1,
            lower: *lower,
        };
        array.dimensions = subscripts.iter().map(dimension).collect();
        array.values = vec![Value::Null];
    }
    if array.dimensions.len() != subscripts.len() {
        return Err(subscript_error("wrong number of array subscripts"));
    }
    if let ([dimension], [subscript]) = (array.dimensions.as_mut_slice(), subscripts.as_slice()) {
        extend(dimension, &mut array.values, *subscript, *subscript)?;
    }
    let place = place_of(&array.dimensions, &subscripts);
    let place = place.and_then(|place| array.values.get_mut(place));
    let place = place.ok_or_else(|| subscript_error("array subscript out of range"))?;
    *place = row.value(1);
    finished(array)
}

/// Makes an array of one dimension reach from `first` to `last`; what is new is NULL.
fn extend(
    dimension: &mut ArrayDimension,
    values: &mut Vec<Value>,
    first: i32,
    last: i32,
) -> Result<()> {
    let before = i64::from(dimension.lower) - i64::from(first);
    let before = usize::try_from(before.max(0)).unwrap_or(usize::MAX);
    let behind = i64::from(last) - (end(*dimension) - 1);
    let behind = usize::try_from(behind.max(0)).unwrap_or(usize::MAX);
    let length = values.len().saturating_add(before).saturating_add(behind);
    check_size(length)?;
    values.resize(values.len() + behind, Value::Null);
    values.splice(0..0, core::iter::repeat_n(Value::Null, before));
    *dimension = ArrayDimension::of(length, dimension.lower.min(first));
    Ok(())
}

/// `SET array[i:j] = array`: the array, the elements, the bounds.
pub(in crate::kernels) fn assign_slice(row: &Row<'_>) -> Result<Value> {
    let mut array = array_or_empty(row, 0)?;
    if row.value(1).is_null() {
        return finished(array);
    }
    let source = array_or_empty(row, 1)?;
    let bounds = bounds(row, 2)?;
    if array.dimensions.is_empty() {
        return finished(filled(array, source, &bounds)?);
    }
    if array.dimensions.len() < bounds.len() {
        return Err(subscript_error("wrong number of array subscripts"));
    }
    let part = assigned_part(&array.dimensions, &bounds)?;
    let count = part.iter().fold(1_usize, |count, (_, length)| {
        count.saturating_mul(*length as usize)
    });
    if source.values.len() < count {
        return Err(too_small());
    }
    if let ([dimension], [(first, length)]) = (array.dimensions.as_mut_slice(), part.as_slice()) {
        let last = i32::try_from(first + i64::from(*length) - 1).unwrap_or(i32::MAX);
        let first = i32::try_from(*first).unwrap_or(i32::MIN);
        extend(dimension, &mut array.values, first, last)?;
    }
    let places = places(&array.dimensions, &part);
    for (at, value) in places.into_iter().zip(source.values) {
        if let Some(place) = array.values.get_mut(at) {
            *place = value;
        }
    }
    finished(array)
}

/// An array without elements after the assignment of a slice: the slice is all of it.
fn filled(mut array: ArrayValue, source: ArrayValue, bounds: &[Bounds]) -> Result<ArrayValue> {
    let mut count = 1_usize;
    for bound in bounds {
        let (Some(lower), Some(upper)) = (bound.lower, bound.upper) else {
            let error = subscript_error("array slice subscript must provide both boundaries");
            return Err(error.with_detail(
                "When assigning to a slice of an empty array value, slice boundaries must be \
                 fully specified.",
            ));
        };
        let length = i64::from(upper) - i64::from(lower) + 1;
        let length = u32::try_from(length).map_err(|_| reversed())?;
        count = count.saturating_mul(length as usize);
        array.dimensions.push(ArrayDimension { length, lower });
    }
    check_size(count)?;
    if source.values.len() < count {
        return Err(too_small());
    }
    array.values = source.values;
    array.values.truncate(count);
    if count == 0 {
        array.dimensions.clear();
    }
    Ok(array)
}

/// The part of an array that a slice is; of one dimension it may reach beyond it.
fn assigned_part(dimensions: &[ArrayDimension], bounds: &[Bounds]) -> Result<Part> {
    let mut part = Vec::with_capacity(dimensions.len());
    for (i, dimension) in dimensions.iter().enumerate() {
        let (lower, upper) = (i64::from(dimension.lower), end(*dimension) - 1);
        let bound = bounds.get(i);
        let first = bound.and_then(|bound| bound.lower).map_or(lower, i64::from);
        let last = bound.and_then(|bound| bound.upper).map_or(upper, i64::from);
        if first > last {
            return Err(reversed());
        }
        if dimensions.len() > 1 && (first < lower || last > upper) {
            return Err(subscript_error("array subscript out of range"));
        }
        part.push((first, u32::try_from(last - first + 1).unwrap_or(u32::MAX)));
    }
    Ok(part)
}

fn too_small() -> Error {
    subscript_error("source array too small")
}

fn reversed() -> Error {
    subscript_error("upper bound cannot be less than lower bound")
}
