//! The functions that read the states of time-series aggregates, as TimescaleDB's toolkit documents
//! them.

use varve_types::{LogicalType, Value};

use crate::kernels::summary::{answer, covariance, measured, number, part, unit, unnest};
use crate::summary::{Stats, Summary, int8};
use crate::tree::{Entry, Kernel, Param};

use super::{FLOAT8, INT8, STAMPTZ, TEXT, columns, named, strict};

const STATE: Param = Param::of(LogicalType::Bytea);

/// `name(state)`: what the arms find in the summaries that it is for.
macro_rules! of_state {
    ($name:literal, $result:ident: $($summary:pat $(if $only:expr)? => $found:expr),* $(,)?) => {
        strict($name, &[STATE], $result, Kernel::Rows(|row| {
            answer($name, row, 0, |summary, _| Some(Ok(match summary {
                $($summary $(if $only)? => $found,)*
                _ => return None,
            })))
        }))
    };
}

/// `name(state [, method])`: a measure of one variable.
macro_rules! measure {
    ($name:literal, $is_pair:literal, $axis:ident, $measure:ident) => {
        named(
            strict(
                $name,
                &[STATE, TEXT],
                FLOAT8,
                Kernel::Rows(|row| {
                    answer($name, row, 0, |summary, row| match summary {
                        Summary::Stats(stats) if stats.is_pair == $is_pair => {
                            Some(measured(stats, &stats.$axis, row, Stats::$measure))
                        }
                        _ => None,
                    })
                }),
            ),
            METHOD,
        )
    };
}

const METHOD: &[&str] = &["summary", "method=sample"];

/// Of times.
pub(super) static POINTS: &[Entry] = &[
    columns(
        strict("unnest", &[STATE], Param::RECORD, Kernel::Set(unnest)),
        &[("time", STAMPTZ), ("value", FLOAT8)],
    ),
    of_state!("first_val", FLOAT8:
        Summary::TimeWeight(weight) => Value::Float8(weight.first.value),
        Summary::Counter(counter) => Value::Float8(counter.first.value),
    ),
    of_state!("last_val", FLOAT8:
        Summary::TimeWeight(weight) => Value::Float8(weight.last.value),
        Summary::Counter(counter) => Value::Float8(counter.last.value),
    ),
    of_state!("first_time", STAMPTZ:
        Summary::TimeWeight(weight) => Value::TimestampTz(weight.first.time),
        Summary::Counter(counter) => Value::TimestampTz(counter.first.time),
    ),
    of_state!("last_time", STAMPTZ:
        Summary::TimeWeight(weight) => Value::TimestampTz(weight.last.time),
        Summary::Counter(counter) => Value::TimestampTz(counter.last.time),
    ),
    named(
        strict(
            "integral",
            &[STATE, TEXT],
            FLOAT8,
            Kernel::Rows(|row| {
                answer("integral", row, 0, |summary, row| match summary {
                    Summary::TimeWeight(weight) => {
                        Some(unit(row).map(|us| Value::Float8(weight.integral(us))))
                    }
                    _ => None,
                })
            }),
        ),
        &["tws", "unit=second"],
    ),
    of_state!("delta", FLOAT8: Summary::Counter(counter) => Value::Float8(counter.delta())),
    of_state!("rate", FLOAT8: Summary::Counter(counter) => number(counter.rate())),
    of_state!("time_delta", FLOAT8: Summary::Counter(counter) => Value::Float8(counter.seconds())),
    of_state!("num_resets", INT8:
        Summary::Counter(counter) if !counter.is_gauge => int8(counter.resets),
    ),
    of_state!("num_changes", INT8: Summary::Counter(counter) => int8(counter.changes)),
    of_state!("num_elements", INT8: Summary::Counter(counter) => int8(counter.elements)),
    of_state!("idelta_left", FLOAT8:
        Summary::Counter(counter) => Value::Float8(counter.instant_delta(true)),
    ),
    of_state!("idelta_right", FLOAT8:
        Summary::Counter(counter) => Value::Float8(counter.instant_delta(false)),
    ),
    of_state!("irate_left", FLOAT8:
        Summary::Counter(counter) => number(counter.instant_rate(true)),
    ),
    of_state!("irate_right", FLOAT8:
        Summary::Counter(counter) => number(counter.instant_rate(false)),
    ),
];

/// Of moments.
pub(super) static STATS: &[Entry] = &[
    of_state!("average", FLOAT8:
        Summary::TimeWeight(weight) => number(weight.average()),
        Summary::Stats(stats) if !stats.is_pair => Value::Float8(stats.average(&stats.x)),
    ),
    of_state!("sum", FLOAT8:
        Summary::Stats(stats) if !stats.is_pair => Value::Float8(stats.x.sum),
    ),
    measure!("variance", false, x, variance),
    measure!("stddev", false, x, stddev),
    measure!("skewness", false, x, skewness),
    measure!("kurtosis", false, x, kurtosis),
    of_state!("average_x", FLOAT8:
        Summary::Stats(stats) if stats.is_pair => Value::Float8(stats.average(&stats.x)),
    ),
    of_state!("average_y", FLOAT8:
        Summary::Stats(stats) if stats.is_pair => Value::Float8(stats.average(&stats.y)),
    ),
    of_state!("sum_x", FLOAT8: Summary::Stats(stats) if stats.is_pair => Value::Float8(stats.x.sum)),
    of_state!("sum_y", FLOAT8: Summary::Stats(stats) if stats.is_pair => Value::Float8(stats.y.sum)),
    measure!("variance_x", true, x, variance),
    measure!("variance_y", true, y, variance),
    measure!("stddev_x", true, x, stddev),
    measure!("stddev_y", true, y, stddev),
    measure!("skewness_x", true, x, skewness),
    measure!("skewness_y", true, y, skewness),
    measure!("kurtosis_x", true, x, kurtosis),
    measure!("kurtosis_y", true, y, kurtosis),
    named(
        strict(
            "covariance",
            &[STATE, TEXT],
            FLOAT8,
            Kernel::Rows(|row| {
                answer("covariance", row, 0, |summary, row| match summary {
                    Summary::Stats(stats) if stats.is_pair => Some(covariance(stats, row)),
                    _ => None,
                })
            }),
        ),
        METHOD,
    ),
    of_state!("slope", FLOAT8: Summary::Stats(stats) if stats.is_pair => number(stats.slope())),
    of_state!("intercept", FLOAT8:
        Summary::Stats(stats) if stats.is_pair => number(stats.intercept()),
    ),
    of_state!("x_intercept", FLOAT8:
        Summary::Stats(stats) if stats.is_pair => number(stats.x_intercept()),
    ),
    of_state!("corr", FLOAT8: Summary::Stats(stats) if stats.is_pair => number(stats.corr())),
    of_state!("determination_coeff", FLOAT8:
        Summary::Stats(stats) if stats.is_pair => number(stats.determination()),
    ),
];

/// Of sketches.
pub(super) static SKETCHES: &[Entry] = &[
    of_state!("num_vals", INT8:
        Summary::Stats(stats) => int8(stats.count),
        Summary::Buckets(buckets) => buckets.num_vals(),
        Summary::Digest(digest) => digest.num_vals(),
    ),
    of_state!("mean", FLOAT8:
        Summary::Buckets(buckets) => Value::Float8(buckets.mean()),
        Summary::Digest(digest) => Value::Float8(digest.mean()),
    ),
    of_state!("error", FLOAT8: Summary::Buckets(buckets) => Value::Float8(buckets.error())),
    of_state!("min_val", FLOAT8: Summary::Digest(digest) => Value::Float8(digest.ends().0)),
    of_state!("max_val", FLOAT8: Summary::Digest(digest) => Value::Float8(digest.ends().1)),
    strict(
        "approx_percentile",
        &[FLOAT8, STATE],
        FLOAT8,
        Kernel::Rows(|row| {
            answer("approx_percentile", row, 1, |summary, row| match summary {
                Summary::Buckets(buckets) => {
                    Some(part(row).map(|part| Value::Float8(buckets.percentile(part))))
                }
                Summary::Digest(digest) => {
                    Some(part(row).map(|part| Value::Float8(digest.percentile(part))))
                }
                _ => None,
            })
        }),
    ),
    strict(
        "approx_percentile_rank",
        &[FLOAT8, STATE],
        FLOAT8,
        Kernel::Rows(|row| {
            answer(
                "approx_percentile_rank",
                row,
                1,
                |summary, row| match summary {
                    Summary::Buckets(buckets) => {
                        Some(Ok(Value::Float8(buckets.rank(row.float8(0)))))
                    }
                    Summary::Digest(digest) => Some(Ok(Value::Float8(digest.rank(row.float8(0))))),
                    _ => None,
                },
            )
        }),
    ),
    of_state!("distinct_count", INT8: Summary::Distinct(distinct) => distinct.estimate()),
    of_state!("stderror", FLOAT8: Summary::Distinct(distinct) => Value::Float8(distinct.stderror())),
];
