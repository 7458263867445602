//! Functions of enumerations: only the type of an argument counts where it is NULL.

use varve_types::{ArrayValue, ElementType, EnumId, Error, LogicalType, Result, SqlState, Value};

use crate::tree::Row;

/// The enumeration of the arguments and the places of all its labels, in order.
fn places(row: &Row<'_>) -> Result<(EnumId, Vec<i32>)> {
    let ty = row.args.first().map(|arg| arg.logical_type());
    let Some(LogicalType::Enum(id)) = ty else {
        return Err(Error::internal("a function of enumerations without one"));
    };
    let enums = row.context.locale.enums.as_deref();
    let labels = enums.and_then(|enums| enums.get(&id));
    let labels = labels.ok_or_else(|| Error::internal("an enumeration that is not known"))?;
    if labels.labels.is_empty() {
        let message = format!("enum {} contains no values", labels.name);
        return Err(Error::new(
            SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
            message,
        ));
    }
    Ok((id, labels.labels.iter().map(|(place, _)| *place).collect()))
}

pub(super) fn first(row: &Row<'_>) -> Result<Value> {
    let (id, places) = places(row)?;
    Ok(places
        .first()
        .map_or(Value::Null, |place| Value::Enum(id, *place)))
}

pub(super) fn last(row: &Row<'_>) -> Result<Value> {
    let (id, places) = places(row)?;
    Ok(places
        .last()
        .map_or(Value::Null, |place| Value::Enum(id, *place)))
}

/// `enum_range(any)`: all values; `enum_range(from, to)`: those between, NULL is no bound.
pub(super) fn range(row: &Row<'_>) -> Result<Value> {
    let (id, mut places) = places(row)?;
    if row.args.len() > 1 {
        let bound = |i: usize| match row.value(i) {
            Value::Enum(_, place) => Some(place),
            _ => None,
        };
        let (from, to) = (bound(0), bound(1));
        places.retain(|place| {
            from.is_none_or(|from| from <= *place) && to.is_none_or(|to| *place <= to)
        });
    }
    let values = places.into_iter().map(|place| Value::Enum(id, place));
    let array = ArrayValue::of(ElementType::Enum(id), values.collect());
    Ok(Value::array(&array))
}
