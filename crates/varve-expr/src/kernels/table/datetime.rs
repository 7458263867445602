//! Dates, times and intervals.

use crate::function::{Entry, Kernel};
use crate::kernels::{arithmetic, datetime, numeric};
use crate::signature::Param;

use super::{DATE, FLOAT8, INT4, SPAN, STAMP, STAMPTZ, TEXT, TIME, stable, strict};
use Kernel::{Columns, Rows};

/// Depends on the time of the transaction.
const fn at_now(name: &'static str, result: Param) -> Entry {
    stable(name, &[], result, Rows(datetime::now))
}

pub(super) static ROWS: &[Entry] = &[
    at_now("now", STAMPTZ),
    at_now("current_timestamp", STAMPTZ),
    at_now("transaction_timestamp", STAMPTZ),
    at_now("localtimestamp", STAMP),
    at_now("current_date", DATE),
    strict(
        "date_trunc",
        &[TEXT, STAMP],
        STAMP,
        Columns(datetime::date_trunc),
    ),
    strict(
        "date_trunc",
        &[TEXT, STAMPTZ],
        STAMPTZ,
        Columns(datetime::date_trunc),
    ),
    strict(
        "date_part",
        &[TEXT, STAMP],
        FLOAT8,
        Columns(datetime::date_part),
    ),
    strict(
        "date_part",
        &[TEXT, STAMPTZ],
        FLOAT8,
        Columns(datetime::date_part),
    ),
    strict(
        "extract",
        &[TEXT, DATE],
        FLOAT8,
        Rows(datetime::extract_date),
    ),
    strict(
        "extract",
        &[TEXT, STAMP],
        FLOAT8,
        Columns(datetime::date_part),
    ),
    strict(
        "extract",
        &[TEXT, STAMPTZ],
        FLOAT8,
        Columns(datetime::date_part),
    ),
];

/// Arithmetic.
pub(super) static OPERATORS: &[Entry] = &[
    strict("+", &[DATE, INT4], DATE, Rows(arithmetic::date_plus_days)),
    strict("+", &[INT4, DATE], DATE, Rows(arithmetic::date_plus_days)),
    strict("-", &[DATE, INT4], DATE, Rows(arithmetic::date_minus_days)),
    strict("-", &[DATE, DATE], INT4, Rows(arithmetic::date_minus_date)),
    strict("+", &[SPAN, SPAN], SPAN, Rows(numeric::add_intervals)),
    strict("-", &[SPAN, SPAN], SPAN, Rows(numeric::sub_intervals)),
    strict("+", &[STAMP, SPAN], STAMP, Rows(numeric::timestamp_plus)),
    strict("+", &[SPAN, STAMP], STAMP, Rows(numeric::timestamp_plus)),
    strict(
        "+",
        &[STAMPTZ, SPAN],
        STAMPTZ,
        Rows(numeric::timestamp_plus),
    ),
    strict(
        "+",
        &[SPAN, STAMPTZ],
        STAMPTZ,
        Rows(numeric::timestamp_plus),
    ),
    strict("+", &[DATE, SPAN], STAMP, Rows(numeric::timestamp_plus)),
    strict("+", &[SPAN, DATE], STAMP, Rows(numeric::timestamp_plus)),
    strict("+", &[TIME, SPAN], TIME, Rows(numeric::timestamp_plus)),
    strict("+", &[SPAN, TIME], TIME, Rows(numeric::timestamp_plus)),
    strict("-", &[STAMP, SPAN], STAMP, Rows(numeric::timestamp_minus)),
    strict(
        "-",
        &[STAMPTZ, SPAN],
        STAMPTZ,
        Rows(numeric::timestamp_minus),
    ),
    strict("-", &[DATE, SPAN], STAMP, Rows(numeric::timestamp_minus)),
    strict("-", &[TIME, SPAN], TIME, Rows(numeric::timestamp_minus)),
    strict("-", &[STAMP, STAMP], SPAN, Rows(numeric::timestamps_apart)),
    strict(
        "-",
        &[STAMPTZ, STAMPTZ],
        SPAN,
        Rows(numeric::timestamps_apart),
    ),
    strict("-", &[TIME, TIME], SPAN, Rows(numeric::times_apart)),
    strict("+", &[DATE, TIME], STAMP, Rows(numeric::date_plus_time)),
    strict("+", &[TIME, DATE], STAMP, Rows(numeric::date_plus_time)),
    strict("-", &[SPAN], SPAN, Rows(numeric::negate_interval)),
];
