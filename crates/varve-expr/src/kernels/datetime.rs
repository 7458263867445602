//! Date and time functions; the time zone is UTC.

use varve_types::{Column, Error, LogicalType, Result, Value};

use super::operand::{Native, Row, TextOperand, validity_of};
use crate::datetime::{Field, split_day};
use crate::function::Call;

/// The start of the transaction.
pub(super) fn now(row: &Row<'_>) -> Result<Value> {
    let now_us = row.context.locale.now_us;
    Ok(match row.result {
        LogicalType::Timestamp => Value::Timestamp(now_us),
        LogicalType::Date => Value::Date(i32::try_from(split_day(now_us).0).unwrap_or_default()),
        _ => Value::TimestampTz(now_us),
    })
}

/// `date_trunc(field, timestamp)`
pub(super) fn date_trunc(call: &Call<'_>) -> Result<Column> {
    let read = |name: &str, ty| {
        let field = Field::from_name(name, ty)?;
        if field.is_truncatable() {
            Ok(field)
        } else {
            Err(Field::unsupported(name, ty))
        }
    };
    by_field::<i64>(call, read, Field::truncate)
}

/// `date_part(field, timestamp)`, and EXTRACT from it. It answers a double; PostgreSQL's EXTRACT
/// answers NUMERIC.
pub(super) fn date_part(call: &Call<'_>) -> Result<Column> {
    let read = |name: &str, ty| {
        let field = Field::from_name(name, ty)?;
        if field == Field::Timezone && ty != LogicalType::TimestampTz {
            return Err(Field::unsupported(name, ty));
        }
        Ok(field)
    };
    by_field::<f64>(call, read, Field::extract)
}

/// EXTRACT from a date, which has no time of day.
pub(super) fn extract_date(row: &Row<'_>) -> Result<Value> {
    let name = row.text(0);
    let field = Field::from_name(name, LogicalType::Date)?;
    if !field.is_of_date() {
        return Err(Field::unsupported(name, LogicalType::Date));
    }
    Ok(Value::Float8(field.extract_date(row.int4(1))))
}

/// Applies the field named by the first argument to the timestamps of the second; a constant name
/// is read once.
fn by_field<T: Native>(
    call: &Call<'_>,
    read: fn(&str, LogicalType) -> Result<Field>,
    apply: fn(Field, i64) -> T,
) -> Result<Column> {
    let [name, moment] = call.args else {
        return Err(Error::internal("a field function without two arguments"));
    };
    let (names, moments) = (TextOperand::new(name), i64::operand(moment));
    let validity = validity_of(call.args);
    let mut values = Vec::with_capacity(call.rows);
    let mut known = None;
    for row in 0..call.rows {
        if validity.as_ref().is_some_and(|bits| !bits.get(row)) {
            values.push(T::default());
            continue;
        }
        let field = match known {
            Some(field) => field,
            None => read(names.get(row), moment.logical_type())?,
        };
        known = Some(field).filter(|_| names.is_constant);
        values.push(apply(field, moments.get(row)));
    }
    Column::plain(call.result, T::data(values), validity)
        .ok_or_else(|| Error::internal("arguments of unequal length"))
}
