//! What is read of the states that aggregates of time series give.

use varve_types::{Error, Result, SqlState, Value, meter};

use crate::datetime::unit_us;
use crate::summary::{Axis, Point, Stats, Summary, invalid};
use crate::tree::{Row, SetRows};

/// What `read` finds in the state at `at`; it finds `None` in states that the function is not for.
pub(super) fn answer(
    name: &str,
    row: &Row<'_>,
    at: usize,
    read: fn(&Summary, &Row<'_>) -> Option<Result<Value>>,
) -> Result<Value> {
    let summary = Summary::read(row.bytes(at).unwrap_or_default())?;
    read(&summary, row).unwrap_or_else(|| Err(refused(name, &summary)))
}

fn refused(name: &str, summary: &Summary) -> Error {
    let maker = summary.maker();
    invalid(format!("{name} does not take a state of {maker}"))
}

struct Rows<P>(P);

impl<P: Iterator<Item = Point>> SetRows for Rows<P> {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        let point = self.0.next();
        if let Some(point) = point {
            row.extend([Value::TimestampTz(point.time), Value::Float8(point.value)]);
        }
        Ok(point.is_some())
    }
}

/// `unnest(state)`: times and values.
pub(super) fn unnest(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    let state = row.bytes(0).unwrap_or_default();
    meter::room(state.len())?;
    match Summary::read(state)? {
        Summary::Series(series) => Ok(Box::new(Rows(series.into_points()))),
        other => Err(refused("unnest", &other)),
    }
}

/// A double, NULL where there is none.
pub(super) fn number(found: Option<f64>) -> Value {
    found.map_or(Value::Null, Value::Float8)
}

/// Whether the method at argument 1 divides as for a sample.
fn is_sample(row: &Row<'_>) -> Result<bool> {
    let method = row.text(1);
    let is = |names: [&str; 2]| names.iter().any(|name| method.eq_ignore_ascii_case(name));
    match (is(["sample", "samp"]), is(["population", "pop"])) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => {
            let error = invalid(format!("method \"{method}\" of statistics is unknown"));
            Err(error.with_hint("It may be 'sample' or 'population'."))
        }
    }
}

/// What `measure` finds of a variable by the method of the call.
pub(super) fn measured(
    stats: &Stats,
    axis: &Axis,
    row: &Row<'_>,
    measure: fn(&Stats, &Axis, bool) -> Option<f64>,
) -> Result<Value> {
    Ok(number(measure(stats, axis, is_sample(row)?)))
}

pub(super) fn covariance(stats: &Stats, row: &Row<'_>) -> Result<Value> {
    Ok(number(stats.covariance(is_sample(row)?)))
}

/// The microseconds of the unit at argument 1.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
pub(super) fn unit(row: &Row<'_>) -> Result<f64> {
    let unit = row.text(1);
    unit_us(unit).map(|us| us as f64).ok_or_else(|| {
        let error = invalid(format!("unit \"{unit}\" of an integral is not supported"));
        error.with_hint("It may be a microsecond, millisecond, second, minute, hour, day or week.")
    })
}

/// The part of the values that argument 0 says.
pub(super) fn part(row: &Row<'_>) -> Result<f64> {
    let part = row.float8(0);
    if (0.0..=1.0).contains(&part) {
        return Ok(part);
    }
    let message = format!("percentile value {part} is not between 0 and 1");
    Err(Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message))
}
