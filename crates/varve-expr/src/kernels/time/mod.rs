//! Functions of dates, times and intervals.

mod age;
mod arithmetic;
mod bucket;
mod clock;
mod fields;
mod gaps;
mod make;
pub(super) mod sqlite;
mod text;
mod zone;

pub(super) use age::{age, date_bin, overlaps};
pub(super) use arithmetic::{
    add_intervals, date_add, date_minus_date, date_minus_days, date_plus_days, date_plus_time,
    date_subtract, divide, is_finite, justify_days, justify_hours, justify_interval,
    minus_interval, multiply, negate_interval, plus_interval, sub_intervals, times_apart,
    timestamps_apart,
};
pub(super) use bucket::{gapfill_bucket, time_bucket, whole_gapfill_bucket, whole_time_bucket};
pub(super) use clock::{clock_timestamp, now, statement_timestamp, timeofday};
pub(super) use fields::{date_part, date_trunc, extract, interval_trunc};
pub(super) use gaps::{gaps, interpolated, outside_of_gapfill};
pub(super) use make::{
    make_date, make_interval, make_time, make_timestamp, make_timestamptz, to_timestamp,
};
pub(super) use zone::{at_time_zone, named as named_zone};

pub(super) use text::{text_to_timestamp, to_char, to_date};

pub use arithmetic::shifted_value;
