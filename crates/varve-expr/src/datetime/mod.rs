//! Dates and timestamps: the civil calendar, time zones, their text forms and their fields.
//! Integers only.

mod bucket;
mod civil;
mod convert;
mod decode;
mod decode_fields;
mod fault;
mod field;
mod format;
mod from_char;
mod from_char_date;
mod interval;
mod interval_scale;
mod interval_text;
pub(crate) mod julian;
mod number;
mod parse;
mod template;
mod to_char;
mod tokens;
mod words;
mod zone;

pub(crate) use bucket::{Buckets, whole_bucket};
pub(crate) use civil::{Civil, DAY_US, HOUR_US, SECOND_US, split_day};
pub use civil::{check_date, check_timestamp};
pub(crate) use convert::{
    convert_moment, date_of_timestamp, in_zone, is_infinite, is_zone_conversion, out_of_zone,
    timestamp_of_date, timestamp_out_of_range,
};
pub(crate) use decode::offset_of_text;
pub(crate) use fault::unknown_zone;
pub(crate) use field::{Extracted, Field};
pub(crate) use format::{write_date, write_time, write_timestamp};
pub(crate) use from_char_date::{date_from_char, timestamp_from_char};
pub(crate) use interval::{
    add_interval_in, bounded_interval, interval_out_of_range, write_interval,
};
pub(crate) use interval_scale::{divided_interval, times_interval, unit_us};
pub(crate) use interval_text::parse_interval;
pub(crate) use parse::{parse_date, parse_time, parse_timestamp};
pub(crate) use to_char::{interval_to_char, ordinal, timestamp_to_char};
pub use zone::Zone;
pub(crate) use zone::{Abbreviation, abbreviation};

/// The timestamp after all others; the date is `i32::MAX`.
pub(crate) const INFINITY_US: i64 = i64::MAX;
/// The timestamp before all others; the date is `i32::MIN`.
pub(crate) const MINUS_INFINITY_US: i64 = i64::MIN;
