//! The aggregates of the table that keep a summary for other functions to read.

use varve_types::LogicalType;

use super::summary;
use super::table::{ANY, BYTEA, FLOAT8, INT4, TEXT, in_order, strict};
use crate::tree::{Entry, Param};

const STAMPTZ: Param = Param::of(LogicalType::TimestampTz);

pub(super) static ROWS: &[Entry] = &[
    strict(
        "time_weight",
        &[TEXT, STAMPTZ, FLOAT8],
        BYTEA,
        summary::time_weight,
        summary::time_weight_state,
    ),
    strict(
        "counter_agg",
        &[STAMPTZ, FLOAT8],
        BYTEA,
        summary::add_time_and_value,
        summary::counter_state,
    ),
    strict(
        "timevector",
        &[STAMPTZ, FLOAT8],
        BYTEA,
        summary::add_time_and_value,
        summary::series_state,
    ),
    strict(
        "lttb",
        &[STAMPTZ, FLOAT8, INT4],
        BYTEA,
        summary::lttb,
        summary::lttb_state,
    ),
    strict(
        "asap_smooth",
        &[STAMPTZ, FLOAT8, INT4],
        BYTEA,
        summary::asap_smooth,
        summary::smooth_state,
    ),
    strict(
        "gauge_agg",
        &[STAMPTZ, FLOAT8],
        BYTEA,
        summary::add_time_and_value,
        summary::gauge_state,
    ),
    in_order(
        "stats_agg",
        &[FLOAT8],
        BYTEA,
        summary::stats,
        summary::summary_state,
    ),
    in_order(
        "stats_agg",
        &[FLOAT8, FLOAT8],
        BYTEA,
        summary::stats_of_pair,
        summary::summary_state,
    ),
    in_order(
        "percentile_agg",
        &[FLOAT8],
        BYTEA,
        summary::percentile_agg,
        summary::summary_state,
    ),
    in_order(
        "uddsketch",
        &[INT4, FLOAT8, FLOAT8],
        BYTEA,
        summary::uddsketch,
        summary::summary_state,
    ),
    in_order(
        "tdigest",
        &[INT4, FLOAT8],
        BYTEA,
        summary::tdigest,
        summary::summary_state,
    ),
    strict(
        "approx_count_distinct",
        &[ANY],
        BYTEA,
        summary::approx_count_distinct,
        summary::summary_state,
    ),
    strict(
        "hyperloglog",
        &[INT4, ANY],
        BYTEA,
        summary::hyperloglog,
        summary::summary_state,
    ),
    in_order(
        "rollup",
        &[BYTEA],
        BYTEA,
        summary::rollup,
        summary::summary_state,
    ),
];
