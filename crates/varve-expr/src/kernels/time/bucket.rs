//! `time_bucket`

use varve_types::{Column, ColumnBuilder, ColumnData, ColumnRef, LogicalType, Result, Value};

use super::zone::named;
use crate::datetime::{
    Buckets, Zone, date_of_timestamp, is_infinite, timestamp_of_date, whole_bucket,
};
use crate::kernels::operand::Native;
use crate::tree::{Call, Row};

/// `time_bucket(width, moment [, zone] [, origin] [, offset])`: what is behind the moment is told
/// apart by its type.
pub(in crate::kernels) fn time_bucket(call: &Call<'_>) -> Result<Column> {
    let is_plain = |ty| matches!(ty, LogicalType::Timestamp | LogicalType::TimestampTz);
    let moments = call.args.get(1).filter(|arg| is_plain(arg.logical_type()));
    let moments = moments.map(|arg| i64::operand(arg));
    let others = || call.args.iter().enumerate().filter(|(at, _)| *at != 1);
    let is_fixed = others().all(|(_, arg)| matches!(arg.data(), ColumnData::Constant(_)));
    let mut known = None;
    let mut builder = ColumnBuilder::with_capacity(call.result, call.rows);
    for row in 0..call.rows {
        let args = call.row(row);
        // A zone, an origin and an offset together may each be left out by NULL.
        let optional = call.args.len() >= 5;
        let is_null = |at: usize| args.is_null(at) && !(optional && at >= 3);
        if (0..call.args.len()).any(is_null) {
            builder.push_null();
            continue;
        }
        let buckets = match known.take().filter(|_| is_fixed) {
            Some(known) => known,
            None => buckets_of(&args)?,
        };
        let us = match &moments {
            Some(moments) => moments.get(row),
            None => moment_us(&args.value(1))?,
        };
        let start = buckets.start(us)?;
        known = Some(buckets);
        builder.push(&match call.result {
            LogicalType::Date => Value::Date(date_of_timestamp(start)),
            LogicalType::Timestamp => Value::Timestamp(start),
            _ => Value::TimestampTz(start),
        });
    }
    Ok(builder.finish())
}

/// A moment in microseconds: the time of a UUID of version 7, the midnight of a date.
pub(super) fn moment_us(value: &Value) -> Result<i64> {
    match value {
        Value::Date(date) => timestamp_of_date(*date),
        Value::Uuid(uuid) => {
            let milliseconds = uuid.iter().take(6);
            let milliseconds =
                milliseconds.fold(0_i64, |number, byte| number << 8 | i64::from(*byte));
            Ok(milliseconds * 1000)
        }
        other => Ok(other.integer().unwrap_or(0)),
    }
}

fn buckets_of(row: &Row<'_>) -> Result<Buckets> {
    let (mut zone, mut origin, mut offset) = (None, None, None);
    for at in 2..row.args.len() {
        match row.value(at) {
            Value::Null => {}
            Value::Interval(found) => offset = Some(found),
            moment @ (Value::Date(_) | Value::Timestamp(_) | Value::TimestampTz(_)) => {
                origin = Some(moment_us(&moment)?);
            }
            _ => zone = Some(named(row.text(at))?),
        }
    }
    if let (Some(zone), Some(origin)) = (&zone, &mut origin)
        && !is_infinite(*origin)
    {
        *origin = Zone::local_us(zone, *origin);
    }
    Buckets::new(row.interval(0), origin, offset, zone)
}

/// `time_bucket(width, number [, offset])` of whole numbers.
pub(in crate::kernels) fn whole_time_bucket(row: &Row<'_>) -> Result<Value> {
    let offset = if row.args.len() > 2 { row.int8(2) } else { 0 };
    let start = whole_bucket(row.int8(0), row.int8(1), offset)?;
    let value = Value::of_integer(row.result, start);
    value.ok_or_else(crate::datetime::timestamp_out_of_range)
}

/// `time_bucket_gapfill(width, moment [, zone], start, finish)` of a row: its bucket.
pub(in crate::kernels) fn gapfill_bucket(call: &Call<'_>) -> Result<Column> {
    let has_zone = |arg: &&ColumnRef| arg.logical_type() == LogicalType::Text;
    let count = if call.args.get(2).filter(has_zone).is_some() {
        3
    } else {
        2
    };
    let args = call.args.get(..count).unwrap_or_default();
    time_bucket(&Call { args, ..*call })
}

/// The same of whole numbers.
pub(in crate::kernels) fn whole_gapfill_bucket(row: &Row<'_>) -> Result<Value> {
    if row.is_null(0) || row.is_null(1) {
        return Ok(Value::Null);
    }
    let start = whole_bucket(row.int8(0), row.int8(1), 0)?;
    let value = Value::of_integer(row.result, start);
    value.ok_or_else(crate::datetime::timestamp_out_of_range)
}
