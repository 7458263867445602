//! Aggregates whose result is the state of a [`Summary`], for other functions to read.

use varve_types::{Error, LogicalType, Result, Value, meter};

use crate::datetime::is_infinite;
use crate::summary::{
    Buckets, Counter, Digest, Distinct, Method, Point, Points, Series, Stats, Summary, TimeWeight,
    invalid,
};
use crate::tree::{Row, State};

/// The buckets and the error of `percentile_agg`.
const PERCENTILE_AGG: (i32, f64) = (200, 0.001);
/// The registers of `approx_count_distinct`.
const REGISTERS: i32 = 32_768;
/// The most points of `asap_smooth`, which takes the square of it in steps.
const SMOOTH_MAX: i32 = 10_000;

/// A summary of points in order, with what the calls say of all of them.
type Summarize = fn(&[Point], i32) -> Result<Option<Summary>>;

/// Takes in a time and a value, which are arguments from `first` on.
fn add_point(state: &mut State, row: &Row<'_>, first: usize, option: i32) -> Result<()> {
    let time = row.int8(first);
    if is_infinite(time) {
        return Err(invalid("an infinite time has no place in a series"));
    }
    if !matches!(state, State::Points(_)) {
        *state = State::Points(Box::new(Points::new(option)));
    }
    let State::Points(points) = state else {
        return Err(Error::internal("points that are none"));
    };
    if points.option != option {
        return Err(changed("the method or resolution"));
    }
    points.push(Point {
        time,
        value: row.float8(first + 1),
    });
    Ok(())
}

fn changed(what: &str) -> Error {
    invalid(format!("{what} must not change between calls"))
}

/// `time_weight(method, time, value)`
pub(super) fn time_weight(state: &mut State, row: &Row<'_>) -> Result<()> {
    let method = Method::named(row.text(0))?;
    add_point(state, row, 1, method as i32)
}

pub(super) fn time_weight_state(state: &State, _: LogicalType) -> Result<Value> {
    of_points(state, |points, method| {
        let method = Method::of_code(method);
        let weight = method.and_then(|method| TimeWeight::of(points, method));
        Ok(weight.map(Summary::TimeWeight))
    })
}

/// `counter_agg(time, value)`
pub(super) fn add_time_and_value(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_point(state, row, 0, 0)
}

pub(super) fn counter_state(state: &State, _: LogicalType) -> Result<Value> {
    of_points(state, |points, _| {
        Ok(Counter::of(points, false).map(Summary::Counter))
    })
}

pub(super) fn gauge_state(state: &State, _: LogicalType) -> Result<Value> {
    of_points(state, |points, _| {
        Ok(Counter::of(points, true).map(Summary::Counter))
    })
}

pub(super) fn series_state(state: &State, _: LogicalType) -> Result<Value> {
    of_points(state, |points, _| {
        meter::room(2 * size_of_val(points))?;
        Ok(Series::of(points).map(Summary::Series))
    })
}

/// A time, a value, and how many points there should be.
fn add_to_chart(state: &mut State, row: &Row<'_>, points_max: i32) -> Result<()> {
    let points = row.int4(2);
    if (2..=points_max).contains(&points) {
        return add_point(state, row, 0, points);
    }
    let error = invalid(format!("{points} is no number of points of a chart"));
    Err(error.with_hint(format!("It may be 2 to {points_max}.")))
}

/// `lttb(time, value, points)`
pub(super) fn lttb(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_to_chart(state, row, i32::MAX)
}

pub(super) fn lttb_state(state: &State, _: LogicalType) -> Result<Value> {
    of_points(state, |points, wanted| {
        let wanted = usize::try_from(wanted).unwrap_or(0);
        meter::room(2 * size_of::<Point>() * points.len().min(wanted))?;
        Ok(Series::shape(points, wanted).map(Summary::Series))
    })
}

/// `asap_smooth(time, value, points)`
pub(super) fn asap_smooth(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_to_chart(state, row, SMOOTH_MAX)
}

pub(super) fn smooth_state(state: &State, _: LogicalType) -> Result<Value> {
    of_points(state, |points, wanted| {
        let wanted = usize::try_from(wanted).unwrap_or(0);
        Ok(Series::smooth(points, wanted)?.map(Summary::Series))
    })
}

/// The state that `summarize` makes of the points, NULL without one.
fn of_points(state: &State, summarize: Summarize) -> Result<Value> {
    let State::Points(points) = state else {
        return Ok(Value::Null);
    };
    let summary = summarize(&points.in_order()?, points.option)?;
    Ok(summary.map_or(Value::Null, |summary| summary.write()))
}

/// The summary that rows are taken in by, at first what `new` makes.
fn started(state: &mut State, new: impl FnOnce() -> Result<Summary>) -> Result<&mut Summary> {
    if !matches!(state, State::Summary(_)) {
        *state = State::Summary(Box::new(new()?));
    }
    match state {
        State::Summary(summary) => Ok(summary),
        _ => Err(Error::internal("a summary that is none")),
    }
}

fn add_stats(state: &mut State, stats: Stats) {
    match state {
        State::Summary(summary) => {
            if let Summary::Stats(all) = &mut **summary {
                all.merge(&stats);
            }
        }
        _ => *state = State::Summary(Box::new(Summary::Stats(stats))),
    }
}

/// `stats_agg(x)`
pub(super) fn stats(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_stats(state, Stats::of(row.float8(0), None));
    Ok(())
}

/// `stats_agg(y, x)`
pub(super) fn stats_of_pair(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_stats(state, Stats::of(row.float8(1), Some(row.float8(0))));
    Ok(())
}

fn add_to_buckets(state: &mut State, (size, error): (i32, f64), value: f64) -> Result<()> {
    let summary = started(state, || Buckets::new(size, error).map(Summary::Buckets))?;
    match summary {
        Summary::Buckets(buckets) if buckets.is_like(size, error) => {
            buckets.add(value);
            Ok(())
        }
        _ => Err(changed("the size and the error of uddsketch")),
    }
}

/// `percentile_agg(value)`
pub(super) fn percentile_agg(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_to_buckets(state, PERCENTILE_AGG, row.float8(0))
}

/// `uddsketch(size, error, value)`
pub(super) fn uddsketch(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_to_buckets(state, (row.int4(0), row.float8(1)), row.float8(2))
}

/// `tdigest(size, value)`
pub(super) fn tdigest(state: &mut State, row: &Row<'_>) -> Result<()> {
    let size = row.int4(0);
    match started(state, || Digest::new(size).map(Summary::Digest))? {
        Summary::Digest(digest) if digest.is_like(size) => digest.add(row.float8(1)),
        _ => Err(changed("the number of buckets of tdigest")),
    }
}

fn add_to_distinct(state: &mut State, row: &Row<'_>, registers: i32, at: usize) -> Result<()> {
    let summary = started(state, || Distinct::new(registers).map(Summary::Distinct))?;
    match (summary, row.args.get(at)) {
        (Summary::Distinct(distinct), Some(column)) if distinct.is_like(registers) => {
            distinct.add(column, row.row);
            Ok(())
        }
        _ => Err(changed("the number of buckets of hyperloglog")),
    }
}

/// `approx_count_distinct(value)`
pub(super) fn approx_count_distinct(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_to_distinct(state, row, REGISTERS, 0)
}

/// `hyperloglog(registers, value)`
pub(super) fn hyperloglog(state: &mut State, row: &Row<'_>) -> Result<()> {
    add_to_distinct(state, row, row.int4(0), 1)
}

/// `rollup(state)`: those of a time wait until all are there, since they are put together by time.
pub(super) fn rollup(state: &mut State, row: &Row<'_>) -> Result<()> {
    let summary = Summary::read(row.bytes(0).unwrap_or_default())?;
    match state {
        State::Empty if summary.begins().is_none() => {
            *state = State::Summary(Box::new(summary));
            Ok(())
        }
        State::Summary(all) => all.merge(summary),
        _ => {
            state.push(row.value(0));
            Ok(())
        }
    }
}

/// The state of all rows, NULL without one.
pub(super) fn summary_state(state: &State, _: LogicalType) -> Result<Value> {
    match state {
        State::Summary(summary) => Ok(match &**summary {
            Summary::Digest(digest) => {
                let mut digest = digest.clone();
                digest.compress();
                Summary::Digest(digest).write()
            }
            summary => summary.write(),
        }),
        State::Values(values) => in_time(values.get()),
        _ => Ok(Value::Null),
    }
}

/// States of times put together.
fn in_time(states: &[Value]) -> Result<Value> {
    let bytes = states
        .iter()
        .map(|state| size_of::<Summary>() + 2 * state.heap_bytes());
    meter::room(bytes.sum())?;
    let read = |state: &Value| state.with_binary(Summary::read).transpose();
    let summaries = states.iter().filter_map(|state| read(state).transpose());
    let mut summaries = summaries.collect::<Result<Vec<Summary>>>()?;
    varve_sort::sort_by_key(&mut summaries, Summary::begins);
    let mut summaries = summaries.into_iter();
    let Some(mut all) = summaries.next() else {
        return Ok(Value::Null);
    };
    for summary in summaries {
        all.merge(summary)?;
        meter::steps(1)?;
    }
    Ok(all.write())
}
