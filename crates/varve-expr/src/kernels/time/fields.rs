//! EXTRACT, date_part and date_trunc.

use varve_types::{Column, ColumnBuilder, ColumnData, Error, LogicalType, Result, Value};

use super::zone::named;
use crate::datetime::{
    Extracted, Field, SECOND_US, Zone, check_timestamp, in_zone, is_infinite, timestamp_of_date,
};
use crate::kernels::operand::{Native, TextOperand, validity_of};
use crate::tree::{Call, Row};

/// `EXTRACT(field FROM value)`, which answers a numeric.
pub(in crate::kernels) fn extract(call: &Call<'_>) -> Result<Column> {
    by_row(call, |_, extracted| {
        let decimal = extracted.decimal()?;
        Ok(decimal.map_or(Value::Null, Value::Numeric))
    })
}

/// `date_part(field, value)`, which answers a double.
pub(in crate::kernels) fn date_part(call: &Call<'_>) -> Result<Column> {
    by_row(call, |field, extracted| {
        Ok(extracted.double(field).map_or(Value::Null, Value::Float8))
    })
}

/// The field that a row names; a constant name is read once.
struct Names<'a> {
    texts: TextOperand<'a>,
    known: Option<Field>,
    ty: LogicalType,
}

impl<'a> Names<'a> {
    fn new(call: &Call<'a>) -> Result<Names<'a>> {
        let [name, value, ..] = call.args else {
            return Err(Error::internal("a field function without two arguments"));
        };
        let texts = TextOperand::new(name);
        // date_part takes a date for a timestamp.
        let ty = match (value.logical_type(), call.result) {
            (LogicalType::Date, LogicalType::Float8) => LogicalType::Timestamp,
            (ty, _) => ty,
        };
        Ok(Names {
            texts,
            known: None,
            ty,
        })
    }

    fn get(&mut self, row: usize, accepts: fn(Field, LogicalType) -> bool) -> Result<Field> {
        if let Some(field) = self.known {
            return Ok(field);
        }
        let name = self.texts.get(row);
        let field = Field::from_name(name, self.ty)?;
        if !accepts(field, self.ty) {
            return Err(Field::unsupported(name, self.ty));
        }
        self.known = Some(field).filter(|_| self.texts.is_constant);
        Ok(field)
    }
}

fn by_row(call: &Call<'_>, answer: fn(Field, Extracted) -> Result<Value>) -> Result<Column> {
    let mut names = Names::new(call)?;
    let validity = validity_of(call.args);
    let mut builder = ColumnBuilder::with_capacity(call.result, call.rows);
    for row in 0..call.rows {
        if validity.as_ref().is_some_and(|bits| !bits.get(row)) {
            builder.push_null();
            continue;
        }
        let field = names.get(row, Field::is_of)?;
        let value = call.args.get(1).map_or(Value::Null, |arg| arg.value(row));
        let value = match value {
            Value::Date(date) if names.ty == LogicalType::Timestamp => {
                Value::Timestamp(timestamp_of_date(date)?)
            }
            value => value,
        };
        let extracted = extracted(field, &value, &call.context.locale.zone);
        builder.push(&answer(field, extracted)?);
    }
    Ok(builder.finish())
}

fn extracted(field: Field, value: &Value, zone: &Zone) -> Extracted {
    match value {
        Value::Date(date) if matches!(*date, i32::MAX | i32::MIN) => {
            field.extract_infinite(*date > 0)
        }
        Value::Date(date) => field.extract_date(*date),
        Value::Time(us) => field.extract_time(*us),
        Value::Interval(interval) => field.extract_interval(*interval),
        Value::Timestamp(us) | Value::TimestampTz(us) if is_infinite(*us) => {
            field.extract_infinite(*us > 0)
        }
        Value::TimestampTz(us) => field.extract(*us, zone.offset_s(*us)),
        other => field.extract(other.integer().unwrap_or(0), 0),
    }
}

/// `date_trunc(field, timestamp [, zone])`
pub(in crate::kernels) fn date_trunc(call: &Call<'_>) -> Result<Column> {
    let mut names = Names::new(call)?;
    let moments = call.args.get(1).map(|arg| i64::operand(arg));
    let moments = moments.ok_or_else(|| Error::internal("date_trunc of nothing"))?;
    let has_zone = call.result == LogicalType::TimestampTz;
    let mut zone = match has_zone {
        true => call.context.locale.zone.clone(),
        false => Zone::UTC,
    };
    let zone_names = call.args.get(2).map(|arg| TextOperand::new(arg));
    let mut zone_name = None;
    let validity = validity_of(call.args);
    let mut values = Vec::with_capacity(call.rows);
    for row in 0..call.rows {
        if validity.as_ref().is_some_and(|bits| !bits.get(row)) {
            values.push(0);
            continue;
        }
        let field = names.get(row, |_, _| true)?;
        if !field.is_truncatable() {
            return Err(field.untruncatable(names.texts.get(row), names.ty));
        }
        if let Some(names) = &zone_names {
            let name = names.get(row);
            if zone_name != Some(name) {
                zone = named(name)?;
                zone_name = Some(name);
            }
        }
        values.push(truncated(field, moments.get(row), &zone)?);
    }
    Column::plain(call.result, ColumnData::Int64(values), validity)
        .ok_or_else(|| Error::internal("arguments of unequal length"))
}

fn truncated(field: Field, us: i64, zone: &Zone) -> Result<i64> {
    if is_infinite(us) {
        return Ok(us);
    }
    if zone.is_utc() {
        return check_timestamp(i128::from(field.truncate(us)));
    }
    let offset_us = i64::from(zone.offset_s(us)) * SECOND_US;
    let start = field.truncate(us + offset_us);
    if field.is_of_days() {
        return in_zone(start, zone);
    }
    check_timestamp(i128::from(start) - i128::from(offset_us))
}

/// `date_trunc(field, interval)`
pub(in crate::kernels) fn interval_trunc(row: &Row<'_>) -> Result<Value> {
    let name = row.text(0);
    let field = Field::from_name(name, LogicalType::Interval)?;
    if field == Field::Week {
        let error = Field::unsupported(name, LogicalType::Interval);
        return Err(error.with_detail("Months usually have fractional weeks."));
    }
    if !field.is_truncatable() {
        return Err(field.untruncatable(name, LogicalType::Interval));
    }
    Ok(Value::Interval(field.truncate_interval(row.interval(1))))
}
