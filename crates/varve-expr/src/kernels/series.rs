//! `generate_series`

use core::cmp::Ordering;

use varve_types::{Decimal, Error, LogicalType, Result, SqlState, Value};

use super::time::{named_zone, shifted_value};
use crate::datetime::Zone;
use crate::tree::{Row, SetRows};

/// The rest of a series.
struct Series {
    next: Option<Value>,
    stop: Value,
    step: Value,
    is_rising: bool,
    /// `range` does not give the value at which it stops.
    without_stop: bool,
    zone: Zone,
}

/// `generate_series(start, stop [, step [, zone]])`
pub(super) fn generate_series(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    series(row, row.value(0), row.value(1), false)
}

/// `range([start,] stop [, step])`: DuckDB's and RisingWave's series, without the stop.
pub(super) fn range(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    match row.args.len() {
        1 => series(row, Value::Int8(0), row.value(0), true),
        _ => series(row, row.value(0), row.value(1), true),
    }
}

fn series(
    row: &Row<'_>,
    start: Value,
    stop: Value,
    without_stop: bool,
) -> Result<Box<dyn SetRows>> {
    let one = match row.result {
        LogicalType::Int4 => Value::Int4(1),
        LogicalType::Int8 => Value::Int8(1),
        _ => Value::Numeric(Decimal::from_parts(1, 0)),
    };
    let step = Some(row.value(2)).filter(|step| !step.is_null());
    let step = step.unwrap_or(one);
    let parts = [
        ("start value", &start),
        ("stop value", &stop),
        ("step size", &step),
    ];
    for (what, value) in parts {
        if let Value::Numeric(number) = value
            && !number.is_finite()
        {
            let special = if number.is_nan() { "NaN" } else { "infinity" };
            return Err(invalid(format!("{what} cannot be {special}")));
        }
    }
    let is_rising = match sign(&step) {
        Ordering::Equal => return Err(invalid("step size cannot equal zero".to_owned())),
        sign => sign.is_gt(),
    };
    let mut series = Series {
        next: None,
        stop,
        step,
        is_rising,
        without_stop,
        zone: match row.args.get(3) {
            Some(_) => named_zone(row.text(3))?,
            None => row.zone().clone(),
        },
    };
    series.next = Some(start).filter(|start| series.reaches(start));
    Ok(Box::new(series))
}

impl Series {
    /// Whether a value is not behind the last one.
    fn reaches(&self, value: &Value) -> bool {
        let order = value.compare(&self.stop);
        order.is_some_and(|order| {
            if order.is_eq() {
                !self.without_stop
            } else if self.is_rising {
                order.is_le()
            } else {
                order.is_ge()
            }
        })
    }
}

impl SetRows for Series {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        let Some(now) = self.next.take() else {
            return Ok(false);
        };
        // A series of integers ends where they do.
        let next = match (&now, &self.step) {
            (Value::Int4(now), Value::Int4(step)) => now.checked_add(*step).map(Value::Int4),
            (Value::Int8(now), Value::Int8(step)) => now.checked_add(*step).map(Value::Int8),
            (now, step) => shifted_value(now, step, false, &self.zone)?,
        };
        self.next = next.filter(|next| self.reaches(next));
        row.push(now);
        Ok(true)
    }
}

fn sign(step: &Value) -> Ordering {
    match step {
        Value::Numeric(step) => step.signum().cmp(&0),
        Value::Interval(step) => step.span_us().cmp(&0),
        other => other.integer().unwrap_or(0).cmp(&0),
    }
}

fn invalid(message: String) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}
