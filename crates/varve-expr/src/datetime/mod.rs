//! Dates and timestamps: the civil calendar, its text form and its fields. Integers only.

mod civil;
mod field;
mod format;
mod interval;
mod interval_scale;
mod parse;

pub(crate) use civil::{
    Civil, DAY_US, HOUR_US, SECOND_US, check_date, check_timestamp, midnight_us, split_day,
};
pub(crate) use field::Field;
pub(crate) use format::{write_date, write_time, write_timestamp};
pub(crate) use interval::{add_interval, parse_interval, with_seconds, write_interval};
pub(crate) use interval_scale::{divided_interval, times_interval};
pub(crate) use parse::{parse_date, parse_time, parse_timestamp};
