//! Dates and timestamps as text: PostgreSQL's ISO style, time zone UTC.

use super::civil::{Civil, HOUR_US, SECOND_US, split_day};
use super::interval::write_fraction;

/// `YYYY-MM-DD`, with ` BC` behind years before 1.
pub(crate) fn write_date(date: i32, text: &mut String) {
    let is_bc = write_day(i64::from(date), text);
    if is_bc {
        text.push_str(" BC");
    }
}

/// `YYYY-MM-DD HH:MM:SS[.ffffff]`, with `+00` behind it where it has a time zone.
pub(crate) fn write_timestamp(us: i64, has_zone: bool, text: &mut String) {
    let (days, of_day) = split_day(us);
    let is_bc = write_day(days, text);
    text.push(' ');
    write_time(of_day, text);
    if has_zone {
        text.push_str("+00");
    }
    if is_bc {
        text.push_str(" BC");
    }
}

/// `HH:MM:SS[.ffffff]`.
pub(crate) fn write_time(us: i64, text: &mut String) {
    write_padded(us / HOUR_US, 2, text);
    text.push(':');
    write_padded(us / (60 * SECOND_US) % 60, 2, text);
    text.push(':');
    write_padded(us / SECOND_US % 60, 2, text);
    write_fraction((us % SECOND_US).unsigned_abs(), text);
}

/// Writes year, month and day; whether the year is before 1.
fn write_day(days: i64, text: &mut String) -> bool {
    let day = Civil::from_days(days);
    let is_bc = day.year < 1;
    write_padded(if is_bc { 1 - day.year } else { day.year }, 4, text);
    text.push('-');
    write_padded(day.month, 2, text);
    text.push('-');
    write_padded(day.day, 2, text);
    is_bc
}

/// Digits with zeros in front up to `width`; the number is not negative.
fn write_padded(number: i64, width: u32, text: &mut String) {
    let mut unit = 10_i64.pow(width - 1);
    while number / 10 >= unit {
        unit *= 10;
    }
    while unit > 0 {
        let digit = u8::try_from(number / unit % 10).unwrap_or(0);
        text.push(char::from(b'0' + digit));
        unit /= 10;
    }
}
