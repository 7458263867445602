//! Dates and timestamps from text: ISO 8601 as PostgreSQL reads it.

use varve_types::{Error, Result, SqlState};

use super::civil::{Civil, DAY_US, SECOND_US, check_date, check_timestamp};

/// What was written: a day, the time in it, and the offset from UTC where one was given.
struct Moment {
    days: i64,
    of_day_us: i64,
    offset_us: i64,
}

enum Fault {
    Syntax,
    FieldRange,
    ZoneRange,
    UnknownZone(String),
    Unsupported(&'static str),
}

/// The input function of `date`. A time of day is read and ignored.
pub(crate) fn parse_date(text: &str) -> Result<i32> {
    let moment = read_moment(text).map_err(|fault| refused(fault, text, "date"))?;
    check_date(moment.days).map_err(|error| quoting(&error, text))
}

/// The input function of `timestamp`, which ignores an offset, and of `timestamptz`, which takes
/// UTC without one.
pub(crate) fn parse_timestamp(text: &str, has_zone: bool) -> Result<i64> {
    let type_name = if has_zone {
        "timestamp with time zone"
    } else {
        "timestamp"
    };
    let moment = read_moment(text).map_err(|fault| refused(fault, text, type_name))?;
    let local = i128::from(moment.days) * i128::from(DAY_US) + i128::from(moment.of_day_us);
    let offset = if has_zone { moment.offset_us } else { 0 };
    check_timestamp(local - i128::from(offset)).map_err(|error| quoting(&error, text))
}

/// The input function of `time`: a time of day, or the one of a timestamp.
pub(crate) fn parse_time(text: &str) -> Result<i64> {
    let refused = |fault| refused(fault, text, "time");
    let trimmed = text.trim_ascii();
    if trimmed.eq_ignore_ascii_case("allballs") {
        return Ok(0);
    }
    let clock = trimmed.strip_prefix(['T', 't']).unwrap_or(trimmed);
    let is_clock = clock
        .split_once(':')
        .is_some_and(|(hour, _)| hour.len() <= 2 && !hour.is_empty());
    if !is_clock {
        let bare = clock.get(..6).unwrap_or_default();
        let after = clock.get(6..).unwrap_or_default();
        if bare.bytes().all(|byte| byte.is_ascii_digit())
            && bare.len() == 6
            && !after.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        {
            let (hour, minute, second) = (bare.get(..2), bare.get(2..4), bare.get(4..));
            let parts = [hour, minute, second].map(Option::unwrap_or_default);
            return parse_time(&format!("{}{after}", parts.join(":")));
        }
        if !clock.contains(':') {
            return Err(refused(Fault::Syntax));
        }
        return Ok(read_moment(text).map_err(refused)?.of_day_us);
    }
    let mut input = Input {
        rest: clock.as_bytes(),
    };
    let (afternoon, us) = input.clock().map_err(refused)?;
    input.spaces();
    input.zone().map_err(refused)?;
    input.spaces();
    if !input.rest.is_empty() {
        return Err(refused(Fault::Syntax));
    }
    let half = 12 * 3600 * SECOND_US;
    let hour = us / (3600 * SECOND_US);
    match afternoon {
        Some(_) if hour == 0 || hour > 12 => Err(refused(Fault::FieldRange)),
        Some(true) if hour < 12 => Ok(us + half),
        Some(false) if hour == 12 => Ok(us - half),
        _ => Ok(us),
    }
}

fn quoting(error: &Error, text: &str) -> Error {
    Error::new(error.state(), format!("{error}: \"{text}\""))
}

fn refused(fault: Fault, text: &str, type_name: &str) -> Error {
    match fault {
        Fault::Syntax => Error::new(
            SqlState::INVALID_DATETIME_FORMAT,
            format!("invalid input syntax for type {type_name}: \"{text}\""),
        ),
        Fault::FieldRange => Error::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("date/time field value out of range: \"{text}\""),
        ),
        Fault::ZoneRange => Error::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("time zone displacement out of range: \"{text}\""),
        ),
        Fault::UnknownZone(zone) => Error::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("time zone \"{zone}\" not recognized"),
        ),
        Fault::Unsupported(what) => {
            Error::unsupported(format_args!("the date/time value \"{what}\""))
        }
    }
}

const SPECIAL: [&str; 8] = [
    "infinity",
    "+infinity",
    "-infinity",
    "now",
    "today",
    "tomorrow",
    "yesterday",
    "allballs",
];

fn read_moment(text: &str) -> Result<Moment, Fault> {
    let trimmed = text.trim_ascii();
    if trimmed.eq_ignore_ascii_case("epoch") {
        return Ok(Moment {
            days: 0,
            of_day_us: 0,
            offset_us: 0,
        });
    }
    if let Some(special) = SPECIAL
        .iter()
        .find(|special| trimmed.eq_ignore_ascii_case(special))
    {
        return Err(Fault::Unsupported(special));
    }
    let mut input = Input {
        rest: trimmed.as_bytes(),
    };
    let mut day = input.day()?;
    let (mut of_day_us, mut offset_us) = (0, 0);
    let has_time = input.take(b'T') || input.take(b't');
    if has_time || (input.spaces() && input.peek().is_some_and(|byte| byte.is_ascii_digit())) {
        of_day_us = input.time()?;
        input.spaces();
        offset_us = input.zone()?;
    }
    input.spaces();
    if input.word("bc") {
        day.year = 1 - day.year;
    } else {
        input.word("ad");
    }
    if !input.rest.is_empty() {
        return Err(Fault::Syntax);
    }
    if !day.is_sound() {
        return Err(Fault::FieldRange);
    }
    Ok(Moment {
        days: day.days(),
        of_day_us,
        offset_us,
    })
}

struct Input<'a> {
    rest: &'a [u8],
}

impl Input<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.skip(1);
        }
        found
    }

    fn spaces(&mut self) -> bool {
        let count = self
            .rest
            .iter()
            .take_while(|b| b.is_ascii_whitespace())
            .count();
        self.skip(count);
        count > 0
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self
            .rest
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
        if found {
            self.skip(word.len());
        }
        found
    }

    /// Up to `most` digits: their number and how many there were.
    fn digits(&mut self, most: usize) -> (i64, usize) {
        let digits = self
            .rest
            .iter()
            .take(most)
            .take_while(|b| b.is_ascii_digit());
        let (number, count) = digits.fold((0_i64, 0), |(number, count), byte| {
            (number * 10 + i64::from(byte - b'0'), count + 1)
        });
        self.skip(count);
        (number, count)
    }

    /// One or two digits.
    fn pair(&mut self) -> Result<i64, Fault> {
        match self.digits(2) {
            (_, 0) => Err(Fault::Syntax),
            (number, _) => Ok(number),
        }
    }

    /// `YYYY-MM-DD`, `YYYY/MM/DD`, `YYYY.MM.DD` or `YYYYMMDD`; years of three to seven digits.
    fn day(&mut self) -> Result<Civil, Fault> {
        let (number, count) = self.digits(8);
        let Some(separator) = self.peek().filter(|byte| b"-/.".contains(byte)) else {
            return match count {
                8 => Ok(Civil {
                    year: year_of(number / 10_000)?,
                    month: number / 100 % 100,
                    day: number % 100,
                }),
                _ => Err(Fault::Syntax),
            };
        };
        if !(3..=7).contains(&count) {
            return Err(Fault::Syntax);
        }
        self.skip(1);
        let month = self.pair()?;
        if !self.take(separator) {
            return Err(Fault::Syntax);
        }
        let day = self.pair()?;
        Ok(Civil {
            year: year_of(number)?,
            month,
            day,
        })
    }

    /// `HH:MM[:SS[.ffffff]]` as microseconds, rounded; 24:00 and second 60 are allowed, as in
    /// PostgreSQL.
    fn time(&mut self) -> Result<i64, Fault> {
        let hour = self.pair()?;
        if !self.take(b':') {
            return Err(Fault::Syntax);
        }
        let minute = self.pair()?;
        let (mut second, mut fraction_us) = (0, 0);
        if self.take(b':') {
            second = self.pair()?;
            if self.take(b'.') {
                fraction_us = self.fraction_us();
            }
        }
        let us = ((hour * 60 + minute) * 60 + second) * SECOND_US + fraction_us;
        if minute > 59 || second > 60 || us > DAY_US {
            return Err(Fault::FieldRange);
        }
        Ok(us)
    }

    /// A time, and whether it is said to be after noon.
    fn clock(&mut self) -> Result<(Option<bool>, i64), Fault> {
        let us = self.time()?;
        self.spaces();
        let afternoon = if self.word("am") {
            Some(false)
        } else {
            self.word("pm").then_some(true)
        };
        Ok((afternoon, us))
    }

    fn fraction_us(&mut self) -> i64 {
        let (number, count) = self.digits(6);
        let scale = u32::try_from(6 - count).unwrap_or(0);
        let rounds_up = self
            .peek()
            .is_some_and(|byte| (b'5'..=b'9').contains(&byte));
        while self.digits(8).1 > 0 {}
        number * 10_i64.pow(scale) + i64::from(rounds_up)
    }

    /// Nothing, `Z`, `UTC`, `GMT`, or `+HH[[:]MM[:SS]]`.
    fn zone(&mut self) -> Result<i64, Fault> {
        let sign = match self.peek() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(byte) if byte.is_ascii_alphabetic() => return self.named_zone(),
            _ => return Ok(0),
        };
        self.skip(1);
        let hour = self.pair()?;
        let (mut minute, mut second) = (0, 0);
        if self.take(b':') {
            minute = self.pair()?;
            if self.take(b':') {
                second = self.pair()?;
            }
        } else if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            minute = self.pair()?;
        }
        if hour > 15 || minute > 59 || second > 59 {
            return Err(Fault::ZoneRange);
        }
        Ok(sign * ((hour * 60 + minute) * 60 + second) * SECOND_US)
    }

    fn named_zone(&mut self) -> Result<i64, Fault> {
        let count = self
            .rest
            .iter()
            .take_while(|byte| !byte.is_ascii_whitespace())
            .count();
        let name = String::from_utf8_lossy(self.rest.get(..count).unwrap_or_default()).into_owned();
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if ["bc", "ad"].into_iter().any(is) {
            return Ok(0);
        }
        if !["z", "utc", "gmt", "zulu"].into_iter().any(is) {
            return Err(Fault::UnknownZone(name));
        }
        self.skip(count);
        Ok(0)
    }
}

/// There is no year 0.
fn year_of(number: i64) -> Result<i64, Fault> {
    if number == 0 {
        return Err(Fault::FieldRange);
    }
    Ok(number)
}
