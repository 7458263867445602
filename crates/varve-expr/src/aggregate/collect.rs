//! Aggregates that put the rows of a group together: strings, histograms.

use varve_types::{
    ARRAY_DIMENSIONS_MAX, ArrayDimension, ArrayValue, ElementType, Error, LogicalType, Result,
    SqlState, Value,
};

use crate::cast::too_many_dimensions;
use crate::tree::{Row, State};

/// The most buckets of a histogram.
const BUCKETS_MAX: i32 = 1 << 20;

/// Takes a value in, NULL or not.
pub(super) fn push(state: &mut State, row: &Row<'_>) -> Result<()> {
    state.push(row.value(0));
    state.check_size()
}

/// The values as an array, NULL without a row.
pub(super) fn array(state: &State, ty: LogicalType) -> Result<Value> {
    Ok(match (state.values(), ty) {
        ([_, ..], LogicalType::Array(element)) => {
            Value::array(&ArrayValue::of(element, state.values().to_vec()))
        }
        _ => Value::Null,
    })
}

/// Takes an array in, which must have the shape of those before.
pub(super) fn push_array(state: &mut State, row: &Row<'_>) -> Result<()> {
    let value = row.value(0);
    let Some(array) = decoded(&value)? else {
        return Err(Error::new(
            SqlState::NULL_VALUE_NOT_ALLOWED,
            "cannot accumulate null arrays",
        ));
    };
    let refuse = |message| Err(Error::new(SqlState::ARRAY_SUBSCRIPT_ERROR, message));
    if array.values.is_empty() {
        return refuse("cannot accumulate empty arrays");
    }
    if let Some(first) = state.values().first()
        && decoded(first)?.is_some_and(|first| first.dimensions != array.dimensions)
    {
        return refuse("cannot accumulate arrays of different dimensionality");
    }
    state.push(value);
    state.check_size()
}

/// The arrays as one with a dimension more, NULL without a row.
pub(super) fn stacked(state: &State, _: LogicalType) -> Result<Value> {
    let mut all: Option<ArrayValue> = None;
    for value in state.values() {
        let Some(mut array) = decoded(value)? else {
            continue;
        };
        match &mut all {
            Some(all) => all.values.extend(array.values),
            None => {
                let outer = ArrayDimension::of(state.values().len(), 1);
                array.dimensions.insert(0, outer);
                all = Some(array);
            }
        }
    }
    match all {
        Some(all) if all.dimensions.len() > ARRAY_DIMENSIONS_MAX => {
            Err(too_many_dimensions(all.dimensions.len()))
        }
        Some(all) => Ok(Value::array(&all)),
        None => Ok(Value::Null),
    }
}

fn decoded(value: &Value) -> Result<Option<ArrayValue>> {
    let Value::Array(element, stored) = value else {
        return Ok(None);
    };
    ArrayValue::read(*element, stored).map(Some)
}

/// Text and what comes before it unless it is the first.
pub(super) fn string_agg(state: &mut State, row: &Row<'_>) -> Result<()> {
    if row.is_null(0) {
        return Ok(());
    }
    if let State::Text(text) = state {
        text.push_str(row.text(1));
        text.push_str(row.text(0));
    } else {
        *state = State::Text(row.text(0).to_owned());
    }
    state.check_size()
}

pub(super) fn string_agg_bytes(state: &mut State, row: &Row<'_>) -> Result<()> {
    if row.is_null(0) {
        return Ok(());
    }
    let bytes = |i: usize| row.args.get(i).and_then(|arg| arg.binary_at(row.row));
    let value = bytes(0).unwrap_or_default();
    if let State::Bytes(all) = state {
        all.extend_from_slice(bytes(1).unwrap_or_default());
        all.extend_from_slice(value);
    } else {
        *state = State::Bytes(value.to_owned());
    }
    state.check_size()
}

/// What was put together, NULL without a row.
pub(super) fn joined(state: &State, _: LogicalType) -> Result<Value> {
    Ok(match state {
        State::Text(text) => Value::text(text.as_str()),
        State::Bytes(bytes) => Value::Bytea(bytes.as_slice().into()),
        _ => Value::Null,
    })
}

/// `histogram(value, min, max, buckets)`: how many values lie in each of the equal parts from min
/// to max, those below and above in a bucket of their own at each end.
pub(super) fn histogram(state: &mut State, row: &Row<'_>) -> Result<()> {
    let invalid = |message: &str| Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
    let (value, low, high, buckets) = (row.float8(0), row.float8(1), row.float8(2), row.int4(3));
    if low.is_nan() || high.is_nan() || low >= high {
        return invalid("lower bound must be below upper bound");
    }
    if !(1..=BUCKETS_MAX).contains(&buckets) {
        return invalid("number of buckets must be greater than zero and at most 1048576");
    }
    if state.values().is_empty() {
        (0..buckets + 2).for_each(|_| state.push(Value::Int4(0)));
    }
    if i32::try_from(state.values().len()) != Ok(buckets + 2) {
        return invalid("number of buckets must not change between calls");
    }
    let at = match value {
        below if below < low => 0,
        inside if inside < high => 1 + part(inside - low, high - low, buckets),
        _ => buckets + 1,
    };
    if let State::Values(counts) = state
        && let Some(Value::Int4(count)) = usize::try_from(at)
            .ok()
            .and_then(|at| counts.get_mut().get_mut(at))
    {
        *count = count.saturating_add(1);
    }
    Ok(())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounded down and below the count"
)]
fn part(above: f64, width: f64, buckets: i32) -> i32 {
    let at = libm::floor(above / width * f64::from(buckets)) as i32;
    at.clamp(0, buckets - 1)
}

pub(super) fn counts(state: &State, _: LogicalType) -> Result<Value> {
    Ok(match state.values() {
        [] => Value::Null,
        counts => Value::array(&ArrayValue::of(ElementType::Int4, counts.to_vec())),
    })
}
