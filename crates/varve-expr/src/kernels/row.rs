//! Rows: made, taken apart, tested for NULL.

use varve_types::{Error, LogicalType, Result, RowValue, Value};

use crate::tree::Row;

fn taken_apart(row: &Row<'_>, i: usize) -> Result<RowValue> {
    match row.value(i) {
        Value::Row(_, stored) => RowValue::read(&stored),
        _ => Ok(RowValue::default()),
    }
}

/// `ROW(a, b)`: a NULL of the type of the row, then the fields.
pub(super) fn construct(row: &Row<'_>) -> Result<Value> {
    let LogicalType::Row(id) = row.result else {
        return Err(Error::internal("a row of another type"));
    };
    let fields = row.args.iter().enumerate().skip(1);
    let fields = fields.map(|(i, arg)| (arg.logical_type(), row.value(i)));
    let fields = fields.collect();
    Ok(Value::row(id, &RowValue { fields }))
}

/// As [`construct`], NULL where all fields are: the row of an outer join that found none.
pub(super) fn found(row: &Row<'_>) -> Result<Value> {
    match (1..row.args.len()).all(|i| row.is_null(i)) {
        true => Ok(Value::Null),
        false => construct(row),
    }
}

/// `(row).field`: a NULL of the type of the field, the row, the place of the field from 0.
pub(super) fn field(row: &Row<'_>) -> Result<Value> {
    let fields = taken_apart(row, 1)?.fields;
    let place = usize::try_from(row.int4(2)).ok();
    let field = place.and_then(|place| fields.into_iter().nth(place));
    // A field that the type got after the row was stored.
    Ok(field.map_or(Value::Null, |(_, value)| value))
}

/// `row IS NULL`: whether all fields are.
pub(super) fn is_null(row: &Row<'_>) -> Result<Value> {
    let mut fields = taken_apart(row, 0)?.fields.into_iter();
    Ok(Value::Boolean(fields.all(|(_, value)| value.is_null())))
}

/// `row IS NOT NULL`: whether no field is.
pub(super) fn has_all(row: &Row<'_>) -> Result<Value> {
    let mut fields = taken_apart(row, 0)?.fields.into_iter();
    let is_there = !row.is_null(0);
    Ok(Value::Boolean(
        is_there && fields.all(|(_, value)| !value.is_null()),
    ))
}
