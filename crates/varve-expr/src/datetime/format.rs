//! Dates and times as text, in the style of the session.

use super::civil::{Civil, HOUR_US, SECOND_US, split_day};
use super::interval::write_fraction;
use super::{INFINITY_US, MINUS_INFINITY_US};
use crate::tree::{DateOrder, DateStyle, Locale};

/// Names of months, of which styles show three letters.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of days, Sunday first, of which styles show three letters.
pub(super) const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// A date.
pub(crate) fn write_date(date: i32, locale: &Locale, text: &mut String) {
    match date {
        i32::MAX => return text.push_str("infinity"),
        i32::MIN => return text.push_str("-infinity"),
        _ => {}
    }
    let day = Civil::from_days(i64::from(date));
    write_day(day, locale, text);
    write_era(day, text);
}

/// A timestamp, and where it is of UTC, with its time zone.
pub(crate) fn write_timestamp(us: i64, has_zone: bool, locale: &Locale, text: &mut String) {
    match us {
        INFINITY_US => return text.push_str("infinity"),
        MINUS_INFINITY_US => return text.push_str("-infinity"),
        _ => {}
    }
    let zone = &locale.zone;
    let offset_s = if has_zone { zone.offset_s(us) } else { 0 };
    let local_us = us + i64::from(offset_s) * SECOND_US;
    let (days, of_day) = split_day(local_us);
    let day = Civil::from_days(days);
    if locale.date_style == DateStyle::Postgres {
        let weekday = usize::try_from((days + 4).rem_euclid(7)).unwrap_or(0);
        text.push_str(short(&DAYS, weekday));
        text.push(' ');
        let month = short(&MONTHS, usize::try_from(day.month - 1).unwrap_or(0));
        if locale.date_order == DateOrder::Dmy {
            write_padded(day.day, 2, text);
            text.push(' ');
            text.push_str(month);
        } else {
            text.push_str(month);
            text.push(' ');
            write_padded(day.day, 2, text);
        }
        text.push(' ');
        write_time(of_day, text);
        text.push(' ');
        write_padded(shown_year(day), 4, text);
    } else {
        write_day(day, locale, text);
        text.push(' ');
        write_time(of_day, text);
    }
    if has_zone && locale.date_style == DateStyle::Iso {
        write_offset(offset_s, text);
    } else if has_zone {
        text.push(' ');
        text.push_str(&zone.at(us).abbreviation);
    }
    write_era(day, text);
}

/// `HH:MM:SS[.ffffff]`
pub(crate) fn write_time(us: i64, text: &mut String) {
    write_padded(us / HOUR_US, 2, text);
    text.push(':');
    write_padded(us / (60 * SECOND_US) % 60, 2, text);
    text.push(':');
    write_padded(us / SECOND_US % 60, 2, text);
    write_fraction((us % SECOND_US).unsigned_abs(), text);
}

/// `+HH[:MM[:SS]]`
pub(crate) fn write_offset(offset_s: i32, text: &mut String) {
    text.push(if offset_s < 0 { '-' } else { '+' });
    let size = i64::from(offset_s.unsigned_abs());
    let (minutes, seconds) = (size / 60 % 60, size % 60);
    write_padded(size / 3600, 2, text);
    if minutes != 0 || seconds != 0 {
        text.push(':');
        write_padded(minutes, 2, text);
    }
    if seconds != 0 {
        text.push(':');
        write_padded(seconds, 2, text);
    }
}

/// The first three letters of a name.
pub(super) fn short<'a>(names: &[&'a str], at: usize) -> &'a str {
    let name = names.get(at).copied().unwrap_or_default();
    name.get(..3).unwrap_or(name)
}

/// There is no year 0: 1 BC is the year before 1.
fn shown_year(day: Civil) -> i64 {
    if day.year < 1 { 1 - day.year } else { day.year }
}

fn write_era(day: Civil, text: &mut String) {
    if day.year < 1 {
        text.push_str(" BC");
    }
}

/// Year, month and day in their order.
fn write_day(day: Civil, locale: &Locale, text: &mut String) {
    let (separator, year_first) = match locale.date_style {
        DateStyle::Iso => ('-', true),
        DateStyle::Sql => ('/', false),
        DateStyle::German => ('.', false),
        DateStyle::Postgres => ('-', false),
    };
    if year_first {
        write_padded(shown_year(day), 4, text);
        text.push(separator);
    }
    let day_first = match locale.date_style {
        DateStyle::German => true,
        DateStyle::Iso => false,
        DateStyle::Sql | DateStyle::Postgres => locale.date_order == DateOrder::Dmy,
    };
    let (first, second) = if day_first {
        (day.day, day.month)
    } else {
        (day.month, day.day)
    };
    write_padded(first, 2, text);
    text.push(separator);
    write_padded(second, 2, text);
    if !year_first {
        text.push(separator);
        write_padded(shown_year(day), 4, text);
    }
}

/// Digits with zeros in front up to `width`; the number is not negative.
pub(super) fn write_padded(number: i64, width: u32, text: &mut String) {
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
