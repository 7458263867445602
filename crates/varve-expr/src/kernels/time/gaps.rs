//! What `time_bucket_gapfill` is made of: the rows of gaps, and values between rows.

use varve_types::{Decimal, Error, LogicalType, Result, SqlState, Value, nearest_f32};

use super::bucket::moment_us;
use super::zone::named;
use crate::datetime::{Buckets, date_of_timestamp, timestamp_out_of_range, whole_bucket};
use crate::tree::{Row, SetRows};

/// A function that has a meaning only beside `time_bucket_gapfill`.
pub(in crate::kernels) fn outside_of_gapfill(_: &Row<'_>) -> Result<Value> {
    let message = "locf and interpolate must be toplevel functions over the groups of \
                   time_bucket_gapfill";
    Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message))
}

enum Steps {
    Of(Buckets),
    Whole(i64),
}

impl Steps {
    fn start(&self, at: i64) -> Result<i64> {
        match self {
            Steps::Of(buckets) => buckets.start(at),
            Steps::Whole(width) => whole_bucket(*width, at, 0),
        }
    }

    fn next(&self, start: i64) -> Result<i64> {
        match self {
            Steps::Of(buckets) => buckets.next(start),
            Steps::Whole(width) => {
                let next = start.checked_add(*width);
                next.ok_or_else(timestamp_out_of_range)
            }
        }
    }
}

/// The row of a bucket among those of gaps.
struct Gaps {
    ty: LogicalType,
    steps: Steps,
    /// The bucket to give next, and the first one that is not to be given.
    next: i64,
    before: i64,
    own: Option<Value>,
    /// The gap behind the row.
    behind: (i64, i64),
}

/// `(bucket, next bucket, row number, width, start, finish, to finish, zone)`: the buckets, and
/// whether each lies before the row (-1), is the row's (0) or lies behind it (1).
pub(in crate::kernels) fn gaps(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    if let Some((_, what)) = [(3, "bucket_width"), (4, "start"), (5, "finish")]
        .into_iter()
        .find(|(at, _)| row.is_null(*at))
    {
        let message = format!("invalid time_bucket_gapfill argument: {what} cannot be NULL");
        return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    let steps = match row.value(3) {
        Value::Interval(width) => {
            let zone = match row.is_null(7) {
                true => None,
                false => Some(named(row.text(7))?),
            };
            Steps::Of(Buckets::new(width, None, None, zone)?)
        }
        width => Steps::Whole(width.integer().unwrap_or(0)),
    };
    let own = row.value(0);
    let moment = |at: usize| moment_us(&row.value(at));
    let first = steps.start(moment(4)?)?;
    let mut end = moment(5)?;
    if matches!(row.value(6), Value::Boolean(true)) {
        end = end.saturating_add(1);
    }
    let own_at = moment_us(&own)?;
    let behind = match (own.is_null(), row.is_null(1)) {
        (true, _) => (end, end),
        (false, true) => (steps.next(own_at)?.max(first), end),
        (false, false) => (steps.next(own_at)?.max(first), end.min(moment(1)?)),
    };
    let is_first = row.int8(2) == 1;
    Ok(Box::new(Gaps {
        ty: row.result,
        steps,
        next: first,
        before: match (is_first, own.is_null()) {
            (true, false) => end.min(own_at),
            (true, true) => end,
            (false, _) => first,
        },
        own: Some(own),
        behind,
    }))
}

impl SetRows for Gaps {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        if self.next < self.before {
            let kind = if self.own.is_some() { -1 } else { 1 };
            row.push(self.value()?);
            row.push(Value::Int4(kind));
            self.next = self.steps.next(self.next)?;
            return Ok(true);
        }
        let Some(own) = self.own.take() else {
            return Ok(false);
        };
        row.extend([own, Value::Int4(0)]);
        (self.next, self.before) = self.behind;
        Ok(true)
    }
}

impl Gaps {
    fn value(&self) -> Result<Value> {
        Ok(match self.ty {
            LogicalType::Date => Value::Date(date_of_timestamp(self.next)),
            LogicalType::Timestamp => Value::Timestamp(self.next),
            LogicalType::TimestampTz => Value::TimestampTz(self.next),
            ty => Value::of_integer(ty, self.next).ok_or_else(timestamp_out_of_range)?,
        })
    }
}

/// `(a, time of a, b, time of b, time)`: the value at a time on the line from `a` to `b`.
pub(in crate::kernels) fn interpolated(row: &Row<'_>) -> Result<Value> {
    let time = |at: usize| moment_us(&row.value(at)).map(i128::from);
    let (from, to, at) = (time(1)?, time(3)?, time(4)?);
    let (span, left, past) = (to - from, to - at, at - from);
    if span == 0 {
        return Ok(Value::Null);
    }
    let whole = |a: i64, b: i64| -> Option<i64> {
        let sum = i128::from(a).checked_mul(left)?;
        let sum = sum.checked_add(i128::from(b).checked_mul(past)?)?;
        let half = span.abs() / 2 * sum.signum() * span.signum();
        i64::try_from((sum + half) / span).ok()
    };
    match (row.value(0), row.value(2)) {
        (Value::Float4(a), Value::Float4(b)) => {
            let between = line(f64::from(a), f64::from(b), left, past);
            Ok(Value::Float4(nearest_f32(between)))
        }
        (Value::Float8(a), Value::Float8(b)) => Ok(Value::Float8(line(a, b, left, past))),
        (Value::Numeric(a), Value::Numeric(b)) => {
            let times = |number: Decimal, by: i128| number.times(Decimal::from_parts(by, 0));
            let sum = times(a, left)?.plus(times(b, past)?)?;
            sum.divided_by(Decimal::from_parts(span, 0))
                .map(Value::Numeric)
        }
        (a, b) => {
            let between = a.integer().zip(b.integer()).and_then(|(a, b)| whole(a, b));
            let value = between.and_then(|between| Value::of_integer(row.result, between));
            value.ok_or_else(timestamp_out_of_range)
        }
    }
}

fn line(a: f64, b: f64, left: i128, past: i128) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "times need not be exact here")]
    let (left, past) = (left as f64, past as f64);
    (a * left + b * past) / (left + past)
}
