//! Intervals from text in all of PostgreSQL's input styles, and as text in its own.

use core::fmt::Write;

use varve_types::{Error, Interval, LogicalType, Result, SqlState, TypeMod};

use super::civil::{Civil, HOUR_US, SECOND_US, check_timestamp, split_day};

const MINUTE_US: i128 = 60 * SECOND_US as i128;
const DAY_US: i128 = 24 * HOUR_US as i128;
/// Digits of a fraction that are read.
const FRACTION_DIGITS: usize = 18;
const FRACTION: i128 = 10_i128.pow(18);

fn invalid(text: &str) -> Error {
    Error::new(
        SqlState::INVALID_DATETIME_FORMAT,
        format!("invalid input syntax for type interval: \"{text}\""),
    )
}

fn out_of_range(text: &str) -> Error {
    Error::new(
        SqlState::INTERVAL_FIELD_OVERFLOW,
        format!("interval field value out of range: \"{text}\""),
    )
}

/// The parts while they are summed: fractions go down, months of 30 days, days of 24 hours.
#[derive(Default)]
struct Sum {
    /// Which units were there.
    seen: Vec<Unit>,
    months: i128,
    days: i128,
    us: i128,
}

/// A number and its fraction in 10^-18.
#[derive(Clone, Copy)]
struct Amount {
    whole: i128,
    fraction: i128,
}

#[derive(Clone, Copy, PartialEq)]
enum Unit {
    /// So many months.
    Months(i128),
    /// So many days.
    Days(i128),
    /// So many microseconds.
    Us(i128),
}

impl Sum {
    fn add(&mut self, amount: Amount, unit: Unit) {
        match unit {
            Unit::Months(1) => {
                self.months += amount.whole;
                self.add_days(amount.fraction * 30);
            }
            Unit::Months(each) => {
                // Fractions of years are rounded to months.
                self.months += amount.whole * each + divided(amount.fraction * each, FRACTION);
            }
            Unit::Days(each) => {
                self.days += amount.whole * each;
                self.add_days(amount.fraction * each);
            }
            Unit::Us(each) => {
                self.us += amount.whole * each + divided(amount.fraction * each, FRACTION);
            }
        }
    }

    /// Adds 10^-18 days: whole ones as days, the rest as time.
    fn add_days(&mut self, fraction: i128) {
        self.days += fraction / FRACTION;
        self.us += divided(
            fraction % FRACTION * (DAY_US / 1_000_000),
            FRACTION / 1_000_000,
        );
    }

    fn finish(self) -> Option<Interval> {
        Some(Interval {
            months: i32::try_from(self.months).ok()?,
            days: i32::try_from(self.days).ok()?,
            us: i64::try_from(self.us).ok()?,
        })
    }
}

/// Rounded to the nearest, halves away from 0.
fn divided(a: i128, b: i128) -> i128 {
    let half = if a < 0 { -b / 2 } else { b / 2 };
    (a + half) / b
}

fn unit_of(word: &str) -> Option<Unit> {
    let hour = i128::from(HOUR_US);
    let lower = word.to_ascii_lowercase();
    Some(match lower.as_str() {
        "microsecond" | "microseconds" | "us" | "usec" | "usecs" | "usecond" | "useconds"
        | "microsecon" => Unit::Us(1),
        "millisecond" | "milliseconds" | "ms" | "msec" | "msecs" | "msecond" | "mseconds"
        | "millisecon" => Unit::Us(1000),
        "second" | "seconds" | "s" | "sec" | "secs" => Unit::Us(SECOND_US.into()),
        "minute" | "minutes" | "m" | "min" | "mins" => Unit::Us(MINUTE_US),
        "hour" | "hours" | "h" | "hr" | "hrs" => Unit::Us(hour),
        "day" | "days" | "d" => Unit::Days(1),
        "week" | "weeks" | "w" => Unit::Days(7),
        "month" | "months" | "mon" | "mons" => Unit::Months(1),
        "year" | "years" | "y" | "yr" | "yrs" => Unit::Months(12),
        "decade" | "decades" | "dec" | "decs" => Unit::Months(120),
        "century" | "centuries" | "cent" | "c" => Unit::Months(1200),
        "millennium" | "millennia" | "mil" | "mils" | "millenia" => Unit::Months(12_000),
        _ => return None,
    })
}

/// The input function of `interval`; a number without a unit at the end counts `last`.
pub(crate) fn parse_interval(text: &str, modifier: TypeMod) -> Result<Interval> {
    let trimmed = text.trim_ascii();
    // A time of day that is none is not a matter of form.
    let has_bad_clock = trimmed.split_ascii_whitespace().any(|word| {
        let clock = word.trim_start_matches(['-', '+']);
        let mut parts = clock.split(':').skip(1).map(str::parse::<f64>);
        clock.contains(':')
            && parts.clone().all(|part| part.is_ok())
            && parts.any(|part| part.is_ok_and(|part| part >= 60.0))
    });
    if has_bad_clock {
        return Err(out_of_range(text));
    }
    let sum = if trimmed.starts_with(['P', 'p']) {
        parse_iso(trimmed).ok_or_else(|| invalid(text))?
    } else {
        parse_words(trimmed).ok_or_else(|| invalid(text))?
    };
    let interval = sum.finish().ok_or_else(|| out_of_range(text))?;
    Ok(with_seconds(interval, modifier))
}

/// Rounds to the digits of seconds that a modifier asks for.
pub(crate) fn with_seconds(interval: Interval, modifier: TypeMod) -> Interval {
    let Some(digits) = modifier.seconds(LogicalType::Interval) else {
        return interval;
    };
    let unit = 10_i128.pow(6 - u32::from(digits.min(6)));
    let us = divided(i128::from(interval.us), unit) * unit;
    Interval {
        us: i64::try_from(us).unwrap_or(interval.us),
        ..interval
    }
}

/// An unsigned number at the start of the text, and what follows it.
fn take_number(text: &str) -> Option<(Amount, &str)> {
    let digits = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit());
        end.unwrap_or(text.len())
    };
    let (whole, rest) = text.split_at_checked(digits(text))?;
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(after) => after.split_at_checked(digits(after))?,
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() || whole.len() > 30 {
        return None;
    }
    let number = |digits: &str| match digits {
        "" => Some(0),
        digits => digits.parse::<i128>().ok(),
    };
    let kept = fraction.get(..FRACTION_DIGITS.min(fraction.len()))?;
    let places = u32::try_from(FRACTION_DIGITS - kept.len()).ok()?;
    let whole = number(whole)?.min(i128::from(u64::MAX));
    let fraction = number(kept)? * 10_i128.pow(places);
    Some((Amount { whole, fraction }, rest))
}

fn signed(amount: Amount, negative: bool) -> Amount {
    let sign = if negative { -1 } else { 1 };
    Amount {
        whole: amount.whole * sign,
        fraction: amount.fraction * sign,
    }
}

/// `1 year 2 mons -3 days 04:05:06.7 ago`, `1-2 3 4:05:06`, `@ 1 hour`, `90`.
fn parse_words(text: &str) -> Option<Sum> {
    let mut sum = Sum::default();
    let mut rest = text.strip_prefix('@').unwrap_or(text).trim_start();
    let mut fields = 0;
    let mut ago = false;
    // In the SQL style a sign in front holds for all that follows.
    let all_negative = is_sql_style(rest) && rest.starts_with('-');
    while !rest.is_empty() {
        if ago {
            return None;
        }
        if let Some(after) = word_ago(rest) {
            ago = fields > 0;
            rest = after.trim_start();
            if !ago {
                return None;
            }
            continue;
        }
        let (negative, unsigned) = match rest.strip_prefix('-') {
            Some(after) => (true, after),
            None => (all_negative, rest.strip_prefix('+').unwrap_or(rest)),
        };
        let (amount, after) = take_number(unsigned)?;
        fields += 1;
        if after.starts_with(':') {
            let (us, after) = take_time(unsigned)?;
            sum.us += if negative { -us } else { us };
            rest = after.trim_start();
            continue;
        }
        if let Some(months) = after.strip_prefix('-').filter(|_| amount.fraction == 0) {
            let (months, after) = take_number(months)?;
            if months.whole > 11 || months.fraction != 0 {
                return None;
            }
            let total = amount.whole * 12 + months.whole;
            sum.months += if negative { -total } else { total };
            rest = after.trim_start();
            continue;
        }
        let spaced = after.trim_start();
        let end = spaced.find(|c: char| !c.is_ascii_alphabetic());
        let (word, left) = spaced.split_at_checked(end.unwrap_or(spaced.len()))?;
        let unit = match word {
            "" if spaced.is_empty() => Unit::Us(SECOND_US.into()),
            // Days before a time.
            "" if spaced.contains(':') => Unit::Days(1),
            "ago" => Unit::Us(SECOND_US.into()),
            word => unit_of(word)?,
        };
        // Each unit once.
        if sum.seen.contains(&unit) {
            return None;
        }
        sum.seen.push(unit);
        sum.add(signed(amount, negative), unit);
        rest = if word == "ago" {
            spaced
        } else {
            left.trim_start()
        };
    }
    if fields == 0 {
        return None;
    }
    if ago {
        sum = Sum {
            seen: Vec::new(),
            months: -sum.months,
            days: -sum.days,
            us: -sum.us,
        };
    }
    Some(sum)
}

fn word_ago(text: &str) -> Option<&str> {
    let start = text.get(..3)?;
    start.eq_ignore_ascii_case("ago").then(|| text.get(3..))?
}

fn is_sql_style(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_alphabetic())
        && text.bytes().skip(1).all(|b| b != b'+')
        && text.matches(' ').count() > 0
        && !text.get(1..).unwrap_or_default().contains(" -")
}

/// `H:MM[:SS[.ffffff]]`, or `M:SS.ffffff`.
fn take_time(text: &str) -> Option<(i128, &str)> {
    let (first, rest) = take_number(text)?;
    let (second, rest) = take_number(rest.strip_prefix(':')?)?;
    let (hours, minutes, seconds, rest) = match rest.strip_prefix(':') {
        Some(after) => {
            let (seconds, rest) = take_number(after)?;
            (first, second, seconds, rest)
        }
        None if second.fraction != 0 => {
            let zero = Amount {
                whole: 0,
                fraction: 0,
            };
            (zero, first, second, rest)
        }
        None => {
            let zero = Amount {
                whole: 0,
                fraction: 0,
            };
            (first, second, zero, rest)
        }
    };
    if minutes.whole > 59 || seconds.whole > 59 || hours.fraction + minutes.fraction != 0 {
        return None;
    }
    let us = hours.whole * i128::from(HOUR_US)
        + minutes.whole * MINUTE_US
        + seconds.whole * i128::from(SECOND_US)
        + divided(seconds.fraction * i128::from(SECOND_US), FRACTION);
    Some((us, rest))
}

/// `P1Y2M3DT4H5M6S`, `P1W`, `P0001-02-03T04:05:06`.
fn parse_iso(text: &str) -> Option<Sum> {
    let mut rest = text.get(1..)?;
    let mut sum = Sum::default();
    let mut in_time = false;
    let mut fields = 0;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(['T', 't']) {
            if in_time || after.is_empty() {
                return None;
            }
            in_time = true;
            rest = after;
            continue;
        }
        let (negative, unsigned) = match rest.strip_prefix('-') {
            Some(after) => (true, after),
            None => (false, rest.strip_prefix('+').unwrap_or(rest)),
        };
        let (amount, after) = take_number(unsigned)?;
        let sign = |number: i128| if negative { -number } else { number };
        fields += 1;
        if in_time && after.starts_with(':') {
            let (us, after) = take_time(unsigned)?;
            sum.us += sign(us);
            rest = after;
            continue;
        }
        if !in_time && after.starts_with('-') {
            let (months, after) = take_number(after.get(1..)?)?;
            sum.months += sign(amount.whole * 12 + months.whole);
            rest = after;
            if let Some(after) = rest.strip_prefix('-') {
                let (days, after) = take_number(after)?;
                sum.days += sign(days.whole);
                rest = after;
            }
            continue;
        }
        let letter = after.chars().next()?.to_ascii_uppercase();
        let unit = match (letter, in_time) {
            ('Y', false) => Unit::Months(12),
            ('M', false) => Unit::Months(1),
            ('W', false) => Unit::Days(7),
            ('D', false) => Unit::Days(1),
            ('H', true) => Unit::Us(HOUR_US.into()),
            ('M', true) => Unit::Us(MINUTE_US),
            ('S', true) => Unit::Us(SECOND_US.into()),
            _ => return None,
        };
        sum.add(signed(amount, negative), unit);
        rest = after.get(1..)?;
    }
    (fields > 0).then_some(sum)
}

/// A timestamp moved by an interval: months first, kept within the month, then days, then time.
pub(crate) fn add_interval(us: i64, interval: Interval) -> Result<i64> {
    let mut moved = i128::from(us);
    if interval.months != 0 {
        let (days, of_day) = split_day(us);
        let from = Civil::from_days(days);
        let month = from.year * 12 + from.month - 1 + i64::from(interval.months);
        let first = Civil {
            year: month.div_euclid(12),
            month: month.rem_euclid(12) + 1,
            day: 1,
        };
        let next = Civil {
            year: (month + 1).div_euclid(12),
            month: (month + 1).rem_euclid(12) + 1,
            day: 1,
        };
        let last_day = next.days() - first.days();
        let days = first.days() + from.day.min(last_day) - 1;
        moved = i128::from(days) * DAY_US + i128::from(of_day);
    }
    check_timestamp(moved + i128::from(interval.days) * DAY_US + i128::from(interval.us))
}

/// Appends an interval in the style `postgres`.
pub(crate) fn write_interval(interval: Interval, text: &mut String) {
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
    let us = interval.us.unsigned_abs();
    let second = SECOND_US.unsigned_abs();
    let (hours, minutes) = (us / (3600 * second), us / (60 * second) % 60);
    let _ = write!(text, "{hours:02}:{minutes:02}:{:02}", us / second % 60);
    write_fraction(us % second, text);
}

/// Appends microseconds of a second without zeros at the end.
pub(super) fn write_fraction(us: u64, text: &mut String) {
    if us != 0 {
        let _ = write!(text, ".{us:06}");
        text.truncate(text.trim_end_matches('0').len());
    }
}
