//! Dates and timestamps: the civil calendar, its text form and its fields. Integers only.

mod civil;
mod field;
mod format;
mod parse;

pub(crate) use civil::{check_date, midnight_us, split_day};
pub(crate) use field::Field;
pub(crate) use format::{write_date, write_timestamp};
pub(crate) use parse::{parse_date, parse_timestamp};
