//! The input functions of date, time, timestamp and timestamp with time zone.

use varve_types::Result;

use super::civil::{Civil, DAY_US, SECOND_US, check_date, check_timestamp};
use super::decode::{Decoded, Moment, decode, decode_time};
use super::fault::Fault;
use super::{INFINITY_US, MINUS_INFINITY_US};
use crate::tree::Locale;

/// The input function of `date`. A time of day is read and ignored.
pub(crate) fn parse_date(text: &str, locale: &Locale) -> Result<i32> {
    let read = match iso(text) {
        Some(read) => Ok(Decoded::Moment(read.moment(locale))),
        None => decode(text, locale),
    };
    match read.map_err(|fault| fault.of(text, "date"))? {
        Decoded::Moment(moment) => {
            check_date(moment.days).map_err(|_| Fault::OutOfRange.of(text, "date"))
        }
        Decoded::Epoch => Ok(0),
        Decoded::Infinity(true) => Ok(i32::MAX),
        Decoded::Infinity(false) => Ok(i32::MIN),
    }
}

/// The input function of `timestamp`, which ignores a time zone, and of `timestamptz`.
pub(crate) fn parse_timestamp(text: &str, has_zone: bool, locale: &Locale) -> Result<i64> {
    let type_name = if has_zone {
        "timestamp with time zone"
    } else {
        "timestamp"
    };
    let read = match iso(text) {
        Some(read) => Ok(Decoded::Moment(read.moment(locale))),
        None => decode(text, locale),
    };
    match read.map_err(|fault| fault.of(text, type_name))? {
        Decoded::Moment(moment) => {
            let offset_s = if has_zone { moment.offset_s } else { 0 };
            let us = i128::from(moment.days) * i128::from(DAY_US) + i128::from(moment.of_day_us)
                - i128::from(offset_s) * i128::from(SECOND_US);
            check_timestamp(us).map_err(|_| Fault::OutOfRange.of(text, type_name))
        }
        Decoded::Epoch => Ok(0),
        Decoded::Infinity(true) => Ok(INFINITY_US),
        Decoded::Infinity(false) => Ok(MINUS_INFINITY_US),
    }
}

/// The input function of `time`: a time of day, or the one of a timestamp.
pub(crate) fn parse_time(text: &str, locale: &Locale) -> Result<i64> {
    let read = decode_time(text, locale);
    let moment = read.map_err(|fault| fault.of(text, "time"))?;
    Ok(moment.of_day_us)
}

/// What the common form says.
struct Iso {
    days: i64,
    of_day_us: i64,
    offset_s: Option<i32>,
}

impl Iso {
    fn moment(&self, locale: &Locale) -> Moment {
        let local_us = self
            .days
            .saturating_mul(DAY_US)
            .saturating_add(self.of_day_us);
        let offset_s = self.offset_s;
        Moment {
            days: self.days,
            of_day_us: self.of_day_us,
            offset_s: offset_s.unwrap_or_else(|| locale.zone.offset_of_local_s(local_us)),
        }
    }
}

/// `YYYY-MM-DD[ HH:MM:SS[.ffffff][Z or +HH[:MM]]]` without more ado; `None` for all else, be it
/// right or wrong.
fn iso(text: &str) -> Option<Iso> {
    let mut input = Digits(text.as_bytes());
    let year = input.number(4)?;
    input.byte(b"-")?;
    let month = input.number(2)?;
    input.byte(b"-")?;
    let day = Civil {
        year,
        month,
        day: input.number(2)?,
    };
    if year == 0 || !day.is_sound() {
        return None;
    }
    let mut read = Iso {
        days: day.days(),
        of_day_us: 0,
        offset_s: None,
    };
    if input.0.is_empty() {
        return Some(read);
    }
    input.byte(b" T")?;
    let hour = input.number(2)?;
    input.byte(b":")?;
    let minute = input.number(2)?;
    input.byte(b":")?;
    let second = input.number(2)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    read.of_day_us = ((hour * 60 + minute) * 60 + second) * SECOND_US;
    if input.byte(b".").is_some() {
        let digits = input
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let missing = u32::try_from(6_usize.checked_sub(digits)?).ok()?;
        read.of_day_us += input.number(digits)? * 10_i64.pow(missing);
    }
    if input.0.is_empty() {
        return Some(read);
    }
    read.offset_s = match input.byte(b"Z+-")? {
        b'Z' => Some(0),
        sign => {
            let hours = input.number(2)?;
            let minutes = match input.byte(b":") {
                Some(_) => input.number(2)?,
                None => 0,
            };
            let offset_s = i32::try_from((hours * 60 + minutes) * 60).ok()?;
            let is_sound = hours <= 15 && minutes <= 59;
            is_sound.then_some(if sign == b'-' { -offset_s } else { offset_s })
        }
    };
    (input.0.is_empty() && read.offset_s.is_some()).then_some(read)
}

struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    /// A byte that is one of some.
    fn byte(&mut self, wanted: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        wanted.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    /// So many digits.
    fn number(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let mut number = 0;
        for digit in digits {
            number = number * 10 + i64::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
        }
        self.0 = rest;
        Some(number)
    }
}
