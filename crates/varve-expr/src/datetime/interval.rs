//! Intervals: their arithmetic with timestamps, and as text in the style of the session.

use core::fmt::Write;

use varve_types::{Error, Interval, IntervalFields, LogicalType, Result, SqlState, TypeMod};

use super::civil::{Civil, DAY_US, HOUR_US, SECOND_US, check_timestamp, split_day};
use super::zone::Zone;
use super::{INFINITY_US, MINUS_INFINITY_US};
use crate::tree::IntervalStyle;

/// `22008`
pub(crate) fn interval_out_of_range() -> Error {
    Error::new(SqlState::DATETIME_FIELD_OVERFLOW, "interval out of range")
}

/// The fields and the digits of seconds that a modifier leaves of an interval.
pub(crate) fn bounded_interval(interval: Interval, modifier: TypeMod) -> Result<Interval> {
    let mut bounded = interval;
    let last = modifier.interval_fields().last();
    bounded.us -= match last {
        IntervalFields::SECOND => 0,
        IntervalFields::MINUTE => bounded.us % (60 * SECOND_US),
        IntervalFields::HOUR => bounded.us % HOUR_US,
        _ => bounded.us,
    };
    if matches!(last, IntervalFields::MONTH | IntervalFields::YEAR) {
        bounded.days = 0;
    }
    if last == IntervalFields::YEAR {
        bounded.months -= bounded.months % 12;
    }
    if let Some(digits) = modifier.seconds(LogicalType::Interval) {
        let unit = 10_i64.pow(6 - u32::from(digits.min(6)));
        let half = if bounded.us < 0 { -unit / 2 } else { unit / 2 };
        let past_half = bounded.us.checked_add(half);
        bounded.us = past_half.ok_or_else(interval_out_of_range)? / unit * unit;
    }
    Ok(bounded)
}

/// A timestamp without time zone moved by an interval: months first, kept within the month, then
/// days, then time.
pub(crate) fn add_interval(us: i64, interval: Interval) -> Result<i64> {
    if matches!(us, INFINITY_US | MINUS_INFINITY_US) {
        return Ok(us);
    }
    let mut moved = i128::from(us);
    if interval.months != 0 {
        let (days, of_day) = split_day(us);
        let days = add_months(days, i64::from(interval.months));
        moved = i128::from(days) * i128::from(DAY_US) + i128::from(of_day);
    }
    moved += i128::from(interval.days) * i128::from(DAY_US);
    check_timestamp(moved + i128::from(interval.us))
}

/// A moment moved by an interval: months and days by the clocks of a zone, then time.
pub(crate) fn add_interval_in(us: i64, interval: Interval, zone: &Zone) -> Result<i64> {
    let is_infinite = matches!(us, INFINITY_US | MINUS_INFINITY_US);
    if is_infinite || (interval.months == 0 && interval.days == 0) || zone.is_utc() {
        return add_interval(us, interval);
    }
    let local_us = add_interval(zone.local_us(us), Interval { us: 0, ..interval })?;
    let moved = i128::from(zone.utc_us(local_us)) + i128::from(interval.us);
    check_timestamp(moved)
}

/// A day moved by months, at most to the last day of its month.
pub(crate) fn add_months(days: i64, months: i64) -> i64 {
    let from = Civil::from_days(days);
    let month = from.year * 12 + from.month - 1 + months;
    let first = |month: i64| {
        Civil {
            year: month.div_euclid(12),
            month: month.rem_euclid(12) + 1,
            day: 1,
        }
        .days()
    };
    let length = first(month + 1) - first(month);
    first(month) + from.day.min(length) - 1
}

/// The parts of an interval that are shown, all with their own sign.
struct Parts {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    us: i64,
}

impl Parts {
    fn of(interval: Interval) -> Parts {
        Parts {
            years: i64::from(interval.months / 12),
            months: i64::from(interval.months % 12),
            days: i64::from(interval.days),
            hours: interval.us / HOUR_US,
            minutes: interval.us / (60 * SECOND_US) % 60,
            seconds: interval.us / SECOND_US % 60,
            us: interval.us % SECOND_US,
        }
    }
}

/// Appends an interval.
pub(crate) fn write_interval(interval: Interval, style: IntervalStyle, text: &mut String) {
    match style {
        IntervalStyle::Postgres => write_postgres(interval, text),
        IntervalStyle::PostgresVerbose => write_verbose(&Parts::of(interval), text),
        IntervalStyle::SqlStandard => write_standard(interval, text),
        IntervalStyle::Iso => write_iso(&Parts::of(interval), text),
    }
}

fn write_postgres(interval: Interval, text: &mut String) {
    let start = text.len();
    let mut before_is_negative = false;
    let years = interval.months / 12;
    let months = interval.months % 12;
    for (number, unit) in [(years, "year"), (months, "mon"), (interval.days, "day")] {
        if number == 0 {
            continue;
        }
        if text.len() > start {
            text.push(' ');
        }
        let plus = if before_is_negative && number > 0 {
            "+"
        } else {
            ""
        };
        let plural = if number == 1 { "" } else { "s" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{plus}{number} {unit}{plural}");
        before_is_negative = number < 0;
    }
    if interval.us == 0 && text.len() > start {
        return;
    }
    if text.len() > start {
        text.push(' ');
    }
    if interval.us < 0 {
        text.push('-');
    } else if before_is_negative {
        text.push('+');
    }
    write_clock(interval.us.unsigned_abs(), 2, text);
}

/// Hours of at least so many digits, minutes and seconds.
fn write_clock(us: u64, hour_digits: usize, text: &mut String) {
    let second = SECOND_US.unsigned_abs();
    let (hours, minutes) = (us / (3600 * second), us / (60 * second) % 60);
    let seconds = us / second % 60;
    let _ = write!(text, "{hours:0hour_digits$}:{minutes:02}:{seconds:02}");
    write_fraction(us % second, text);
}

fn write_verbose(parts: &Parts, text: &mut String) {
    text.push('@');
    let (mut is_zero, mut is_before) = (true, false);
    let units = [
        (parts.years, "year"),
        (parts.months, "mon"),
        (parts.days, "day"),
        (parts.hours, "hour"),
        (parts.minutes, "min"),
    ];
    for (number, unit) in units {
        if number == 0 {
            continue;
        }
        // The sign of the first is that of all.
        if is_zero {
            is_before = number < 0;
        }
        is_zero = false;
        let shown = if is_before { -number } else { number };
        let plural = if shown == 1 { "" } else { "s" };
        let _ = write!(text, " {shown} {unit}{plural}");
    }
    if parts.seconds != 0 || parts.us != 0 {
        let is_negative = parts.seconds < 0 || parts.us < 0;
        if is_zero {
            is_before = is_negative;
        }
        is_zero = false;
        text.push(' ');
        if is_negative != is_before {
            text.push('-');
        }
        let _ = write!(text, "{}", parts.seconds.unsigned_abs());
        write_fraction(parts.us.unsigned_abs(), text);
        let is_one = parts.seconds.unsigned_abs() == 1 && parts.us == 0;
        text.push_str(if is_one { " sec" } else { " secs" });
    }
    if is_zero {
        text.push_str(" 0");
    }
    if is_before {
        text.push_str(" ago");
    }
}

fn write_standard(interval: Interval, text: &mut String) {
    let Interval { months, days, us } = interval;
    let has_negative = months < 0 || days < 0 || us < 0;
    let has_positive = months > 0 || days > 0 || us > 0;
    let has_day_time = days != 0 || us != 0;
    if !has_negative && !has_positive {
        return text.push('0');
    }
    let is_mixed = (has_negative && has_positive) || (months != 0 && has_day_time);
    let (years, rest) = (months.unsigned_abs() / 12, months.unsigned_abs() % 12);
    if is_mixed {
        let sign = |negative| if negative { '-' } else { '+' };
        let (a, b, c) = (sign(months < 0), sign(days < 0), sign(us < 0));
        let _ = write!(text, "{a}{years}-{rest} {b}{} {c}", days.unsigned_abs());
        return write_clock(us.unsigned_abs(), 1, text);
    }
    if has_negative {
        text.push('-');
    }
    if months != 0 {
        let _ = write!(text, "{years}-{rest}");
        return;
    }
    if days != 0 {
        let _ = write!(text, "{} ", days.unsigned_abs());
    }
    write_clock(us.unsigned_abs(), 1, text);
}

fn write_iso(parts: &Parts, text: &mut String) {
    let start = text.len();
    text.push('P');
    let write = |units: &[(i64, char)], text: &mut String| {
        for (number, unit) in units.iter().filter(|(number, _)| *number != 0) {
            let _ = write!(text, "{number}{unit}");
        }
    };
    let date = [(parts.years, 'Y'), (parts.months, 'M'), (parts.days, 'D')];
    write(&date, text);
    let has_seconds = parts.seconds != 0 || parts.us != 0;
    if parts.hours != 0 || parts.minutes != 0 || has_seconds {
        text.push('T');
        write(&[(parts.hours, 'H'), (parts.minutes, 'M')], text);
        if has_seconds {
            if parts.seconds < 0 || parts.us < 0 {
                text.push('-');
            }
            let _ = write!(text, "{}", parts.seconds.unsigned_abs());
            write_fraction(parts.us.unsigned_abs(), text);
            text.push('S');
        }
    }
    if text.len() == start + 1 {
        text.push_str("T0S");
    }
}

/// Appends microseconds of a second without zeros at the end.
pub(super) fn write_fraction(us: u64, text: &mut String) {
    if us != 0 {
        let _ = write!(text, ".{us:06}");
        text.truncate(text.trim_end_matches('0').len());
    }
}
