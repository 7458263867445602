//! Dates, times and intervals.

use crate::kernels::time;
use crate::tree::{Entry, Kernel, Param};

use super::{
    BOOL, DATE, FLOAT8, INT4, NUM, SPAN, STAMP, STAMPTZ, TEXT, TIME, lax, named, stable, strict,
    volatile,
};
use Kernel::{Columns, Rows, Text};

/// Depends on the time of the transaction.
const fn at_now(name: &'static str, result: Param) -> Entry {
    stable(name, &[], result, Rows(time::now))
}

/// The same with so many digits of seconds.
const fn at_now_rounded(name: &'static str, result: Param) -> Entry {
    stable(name, &[INT4], result, Rows(time::now))
}

const fn extract(value: &'static [Param]) -> Entry {
    strict("extract", value, NUM, Columns(time::extract))
}

const fn date_part(value: &'static [Param]) -> Entry {
    strict("date_part", value, FLOAT8, Columns(time::date_part))
}

/// What depends on the time zone of the session.
const fn in_session(entry: Entry) -> Entry {
    stable(entry.name, entry.args, entry.result, entry.kernel)
}

const fn overlaps(args: &'static [Param]) -> Entry {
    lax("overlaps", args, BOOL, Rows(time::overlaps))
}

pub(super) static ROWS: &[Entry] = &[
    stable("to_char", &[STAMP, TEXT], TEXT, Rows(time::to_char)),
    stable("to_char", &[STAMPTZ, TEXT], TEXT, Rows(time::to_char)),
    stable("to_char", &[SPAN, TEXT], TEXT, Rows(time::to_char)),
    strict("to_date", &[TEXT, TEXT], DATE, Rows(time::to_date)),
    stable(
        "to_timestamp",
        &[TEXT, TEXT],
        STAMPTZ,
        Rows(time::text_to_timestamp),
    ),
    at_now("now", STAMPTZ),
    at_now("current_timestamp", STAMPTZ),
    at_now("transaction_timestamp", STAMPTZ),
    at_now("localtimestamp", STAMP),
    at_now("localtime", TIME),
    at_now("current_date", DATE),
    at_now_rounded("current_timestamp", STAMPTZ),
    at_now_rounded("localtimestamp", STAMP),
    at_now_rounded("localtime", TIME),
    stable(
        "statement_timestamp",
        &[],
        STAMPTZ,
        Rows(time::statement_timestamp),
    ),
    volatile("clock_timestamp", &[], STAMPTZ, Rows(time::clock_timestamp)),
    volatile("timeofday", &[], TEXT, Text(time::timeofday)),
    extract(&[TEXT, DATE]),
    extract(&[TEXT, TIME]),
    extract(&[TEXT, STAMP]),
    in_session(extract(&[TEXT, STAMPTZ])),
    extract(&[TEXT, SPAN]),
    date_part(&[TEXT, DATE]),
    date_part(&[TEXT, TIME]),
    date_part(&[TEXT, STAMP]),
    in_session(date_part(&[TEXT, STAMPTZ])),
    date_part(&[TEXT, SPAN]),
    strict(
        "date_trunc",
        &[TEXT, STAMP],
        STAMP,
        Columns(time::date_trunc),
    ),
    stable(
        "date_trunc",
        &[TEXT, STAMPTZ],
        STAMPTZ,
        Columns(time::date_trunc),
    ),
    stable(
        "date_trunc",
        &[TEXT, STAMPTZ, TEXT],
        STAMPTZ,
        Columns(time::date_trunc),
    ),
    strict(
        "date_trunc",
        &[TEXT, SPAN],
        SPAN,
        Rows(time::interval_trunc),
    ),
    strict(
        "date_bin",
        &[SPAN, STAMP, STAMP],
        STAMP,
        Rows(time::date_bin),
    ),
    strict(
        "date_bin",
        &[SPAN, STAMPTZ, STAMPTZ],
        STAMPTZ,
        Rows(time::date_bin),
    ),
    stable("date_add", &[STAMPTZ, SPAN], STAMPTZ, Rows(time::date_add)),
    strict(
        "date_add",
        &[STAMPTZ, SPAN, TEXT],
        STAMPTZ,
        Rows(time::date_add),
    ),
    stable(
        "date_subtract",
        &[STAMPTZ, SPAN],
        STAMPTZ,
        Rows(time::date_subtract),
    ),
    strict(
        "date_subtract",
        &[STAMPTZ, SPAN, TEXT],
        STAMPTZ,
        Rows(time::date_subtract),
    ),
    strict("age", &[STAMP, STAMP], SPAN, Rows(time::age)),
    stable("age", &[STAMPTZ, STAMPTZ], SPAN, Rows(time::age)),
    stable("age", &[STAMP], SPAN, Rows(time::age)),
    stable("age", &[STAMPTZ], SPAN, Rows(time::age)),
    strict("isfinite", &[DATE], BOOL, Rows(time::is_finite)),
    strict("isfinite", &[STAMP], BOOL, Rows(time::is_finite)),
    strict("isfinite", &[STAMPTZ], BOOL, Rows(time::is_finite)),
    strict("isfinite", &[SPAN], BOOL, Rows(time::is_finite)),
    strict("justify_days", &[SPAN], SPAN, Rows(time::justify_days)),
    strict("justify_hours", &[SPAN], SPAN, Rows(time::justify_hours)),
    strict(
        "justify_interval",
        &[SPAN],
        SPAN,
        Rows(time::justify_interval),
    ),
    named(
        strict(
            "make_date",
            &[INT4, INT4, INT4],
            DATE,
            Rows(time::make_date),
        ),
        &["year", "month", "day"],
    ),
    named(
        strict(
            "make_time",
            &[INT4, INT4, FLOAT8],
            TIME,
            Rows(time::make_time),
        ),
        &["hour", "min", "sec"],
    ),
    named(
        strict(
            "make_timestamp",
            &[INT4, INT4, INT4, INT4, INT4, FLOAT8],
            STAMP,
            Rows(time::make_timestamp),
        ),
        &["year", "month", "mday", "hour", "min", "sec"],
    ),
    named(
        stable(
            "make_timestamptz",
            &[INT4, INT4, INT4, INT4, INT4, FLOAT8],
            STAMPTZ,
            Rows(time::make_timestamptz),
        ),
        &["year", "month", "mday", "hour", "min", "sec"],
    ),
    named(
        stable(
            "make_timestamptz",
            &[INT4, INT4, INT4, INT4, INT4, FLOAT8, TEXT],
            STAMPTZ,
            Rows(time::make_timestamptz),
        ),
        &["year", "month", "mday", "hour", "min", "sec", "timezone"],
    ),
    named(
        strict(
            "make_interval",
            &[INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8],
            SPAN,
            Rows(time::make_interval),
        ),
        &[
            "years=0", "months=0", "weeks=0", "days=0", "hours=0", "mins=0", "secs=0",
        ],
    ),
    strict("to_timestamp", &[FLOAT8], STAMPTZ, Rows(time::to_timestamp)),
    strict(
        "timezone",
        &[TEXT, STAMP],
        STAMPTZ,
        Rows(time::at_time_zone),
    ),
    strict(
        "timezone",
        &[TEXT, STAMPTZ],
        STAMP,
        Rows(time::at_time_zone),
    ),
    strict(
        "timezone",
        &[SPAN, STAMP],
        STAMPTZ,
        Rows(time::at_time_zone),
    ),
    strict(
        "timezone",
        &[SPAN, STAMPTZ],
        STAMP,
        Rows(time::at_time_zone),
    ),
    overlaps(&[STAMP, STAMP, STAMP, STAMP]),
    overlaps(&[STAMP, SPAN, STAMP, SPAN]),
    overlaps(&[STAMP, STAMP, STAMP, SPAN]),
    overlaps(&[STAMP, SPAN, STAMP, STAMP]),
    overlaps(&[STAMPTZ, STAMPTZ, STAMPTZ, STAMPTZ]),
    in_session_lax(&[STAMPTZ, SPAN, STAMPTZ, SPAN]),
    in_session_lax(&[STAMPTZ, STAMPTZ, STAMPTZ, SPAN]),
    in_session_lax(&[STAMPTZ, SPAN, STAMPTZ, STAMPTZ]),
    overlaps(&[TIME, TIME, TIME, TIME]),
    overlaps(&[TIME, SPAN, TIME, SPAN]),
    overlaps(&[TIME, TIME, TIME, SPAN]),
    overlaps(&[TIME, SPAN, TIME, TIME]),
];

/// `OVERLAPS` of periods whose length depends on the time zone of the session.
const fn in_session_lax(args: &'static [Param]) -> Entry {
    Entry {
        volatility: crate::Volatility::Stable,
        ..overlaps(args)
    }
}

/// Arithmetic.
pub(super) static OPERATORS: &[Entry] = &[
    strict("+", &[DATE, INT4], DATE, Rows(time::date_plus_days)),
    strict("+", &[INT4, DATE], DATE, Rows(time::date_plus_days)),
    strict("-", &[DATE, INT4], DATE, Rows(time::date_minus_days)),
    strict("-", &[DATE, DATE], INT4, Rows(time::date_minus_date)),
    strict("+", &[SPAN, SPAN], SPAN, Rows(time::add_intervals)),
    strict("-", &[SPAN, SPAN], SPAN, Rows(time::sub_intervals)),
    strict("*", &[SPAN, FLOAT8], SPAN, Rows(time::multiply)),
    strict("*", &[FLOAT8, SPAN], SPAN, Rows(time::multiply)),
    strict("/", &[SPAN, FLOAT8], SPAN, Rows(time::divide)),
    strict("+", &[STAMP, SPAN], STAMP, Rows(time::plus_interval)),
    strict("+", &[SPAN, STAMP], STAMP, Rows(time::plus_interval)),
    stable("+", &[STAMPTZ, SPAN], STAMPTZ, Rows(time::plus_interval)),
    stable("+", &[SPAN, STAMPTZ], STAMPTZ, Rows(time::plus_interval)),
    strict("+", &[DATE, SPAN], STAMP, Rows(time::plus_interval)),
    strict("+", &[SPAN, DATE], STAMP, Rows(time::plus_interval)),
    strict("+", &[TIME, SPAN], TIME, Rows(time::plus_interval)),
    strict("+", &[SPAN, TIME], TIME, Rows(time::plus_interval)),
    strict("-", &[STAMP, SPAN], STAMP, Rows(time::minus_interval)),
    stable("-", &[STAMPTZ, SPAN], STAMPTZ, Rows(time::minus_interval)),
    strict("-", &[DATE, SPAN], STAMP, Rows(time::minus_interval)),
    strict("-", &[TIME, SPAN], TIME, Rows(time::minus_interval)),
    strict("-", &[STAMP, STAMP], SPAN, Rows(time::timestamps_apart)),
    strict("-", &[STAMPTZ, STAMPTZ], SPAN, Rows(time::timestamps_apart)),
    strict("-", &[TIME, TIME], SPAN, Rows(time::times_apart)),
    strict("+", &[DATE, TIME], STAMP, Rows(time::date_plus_time)),
    strict("+", &[TIME, DATE], STAMP, Rows(time::date_plus_time)),
    strict("-", &[SPAN], SPAN, Rows(time::negate_interval)),
];
