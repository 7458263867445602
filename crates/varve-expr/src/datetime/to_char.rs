//! `to_char` of timestamps and intervals.

use core::fmt::Write;

use varve_types::{Error, Interval, Result, SqlState};

use super::civil::{Civil, HOUR_US, SECOND_US, split_day};
use super::decode::JULIAN_OF_1970;
use super::field::{iso_day_of_week, iso_year, iso_year_start};
use super::format::{DAYS, MONTHS, short};
use super::template::{Case, Name, Pattern, Piece, pieces};
use super::zone::LocalTime;

/// The longest text of a template.
const TEXT_BYTES_MAX: usize = 1 << 20;

pub(super) const ROMAN: [&str; 12] = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
];

/// What is written: the fields of a timestamp, or the parts of an interval with their signs.
struct Shown {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    us: i64,
    /// The day, from 1970; of intervals that of their date if they were one.
    days: i64,
    day_of_year: i64,
    zone: Option<LocalTime>,
    is_interval: bool,
}

/// A timestamp, as clocks that stand like `zone` show it.
pub(crate) fn timestamp_to_char(
    local_us: i64,
    zone: Option<LocalTime>,
    template: &str,
) -> Result<String> {
    let (days, of_day) = split_day(local_us);
    let civil = Civil::from_days(days);
    let first = Civil {
        month: 1,
        day: 1,
        ..civil
    };
    let shown = Shown {
        year: civil.year,
        month: civil.month,
        day: civil.day,
        hour: of_day / HOUR_US,
        minute: of_day / (60 * SECOND_US) % 60,
        second: of_day / SECOND_US % 60,
        us: of_day % SECOND_US,
        days,
        day_of_year: days - first.days() + 1,
        zone,
        is_interval: false,
    };
    shown.write(template)
}

/// An interval.
pub(crate) fn interval_to_char(interval: Interval, template: &str) -> Result<String> {
    let Interval { months, days, us } = interval;
    let (year, month) = (i64::from(months / 12), i64::from(months % 12));
    let day = i64::from(days);
    let as_date = Civil {
        year,
        month: month.clamp(1, 12),
        day,
    };
    let shown = Shown {
        year,
        month,
        day,
        hour: us / HOUR_US,
        minute: us / (60 * SECOND_US) % 60,
        second: us / SECOND_US % 60,
        us: us % SECOND_US,
        days: as_date.days(),
        day_of_year: year * 360 + month * 30 + day,
        zone: None,
        is_interval: true,
    };
    shown.write(template)
}

/// Digits with zeros in front, and the sign before them as one more.
fn padded(number: i64, width: usize, bare: bool) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let width = if bare { 0 } else { width };
    format!("{sign}{:0width$}", number.unsigned_abs())
}

fn cased(text: &str, case: Case) -> String {
    match case {
        Case::Upper => text.to_ascii_uppercase(),
        Case::Lower => text.to_ascii_lowercase(),
        Case::Capital => text.to_owned(),
    }
}

/// `st`, `nd`, `rd` or `th` after a number.
pub(crate) fn ordinal(number: &str) -> &'static str {
    let mut last = number.bytes().rev();
    let (ones, tens) = (last.next(), last.next());
    match ones {
        _ if tens == Some(b'1') => "TH",
        Some(b'1') => "ST",
        Some(b'2') => "ND",
        Some(b'3') => "RD",
        _ => "TH",
    }
}

impl Shown {
    fn write(&self, template: &str) -> Result<String> {
        let mut text = String::new();
        for piece in pieces(template) {
            match piece {
                Piece::Text { text: literal, .. } => text.push_str(&literal),
                Piece::Field {
                    pattern,
                    case,
                    bare,
                    ordinal: wanted,
                    ..
                } => match self.number(pattern, bare) {
                    Some(number) => {
                        text.push_str(&number);
                        if let Some(case) = wanted {
                            let lower = if case == Case::Upper {
                                Case::Upper
                            } else {
                                Case::Lower
                            };
                            text.push_str(&cased(ordinal(&number), lower));
                        }
                    }
                    None => text.push_str(&self.name(pattern, case, bare)?),
                },
            }
            if text.len() > TEXT_BYTES_MAX {
                return Err(Error::new(
                    SqlState::PROGRAM_LIMIT_EXCEEDED,
                    "the text that a template makes is too long",
                ));
            }
        }
        Ok(text)
    }

    /// The year as it is written: there is none that is 0.
    fn shown_year(&self) -> i64 {
        if self.is_interval || self.year > 0 {
            self.year
        } else {
            1 - self.year
        }
    }

    fn iso_year(&self) -> i64 {
        if self.is_interval {
            return self.year;
        }
        let year = iso_year(self.days);
        if year > 0 { year } else { 1 - year }
    }

    /// A pattern that is a number; `None` for all others.
    fn number(&self, pattern: Pattern, bare: bool) -> Option<String> {
        use Pattern as P;
        Some(match pattern {
            P::Hour12 => {
                let hour = self.hour % 12;
                padded(if hour == 0 { 12 } else { hour }, 2, bare)
            }
            P::Hour24 => padded(self.hour, 2, bare),
            P::Minute => padded(self.minute, 2, bare),
            P::Second => padded(self.second, 2, bare),
            P::Millisecond => padded(self.us / 1000, 3, false),
            P::Microsecond => padded(self.us, 6, false),
            P::Fraction(digits) => {
                let unit = 10_i64.pow(6 - digits.min(6));
                padded(self.us / unit, digits as usize, false)
            }
            P::SecondsOfDay => ((self.hour * 60 + self.minute) * 60 + self.second).to_string(),
            P::Year { digits, iso } => {
                let year = if iso {
                    self.iso_year()
                } else {
                    self.shown_year()
                };
                let kept = if digits < 4 {
                    year % 10_i64.pow(digits)
                } else {
                    year
                };
                padded(kept, digits as usize, bare)
            }
            P::YearWithComma => {
                let year = self.shown_year();
                format!("{},{:03}", year / 1000, (year % 1000).abs())
            }
            P::MonthNumber => padded(self.month, 2, bare),
            // Of days the sign is one of the two places.
            P::DayOfMonth if self.day < 0 => padded(self.day, 1, bare),
            P::DayOfMonth => padded(self.day, 2, bare),
            P::DayOfYear => padded(self.day_of_year, 3, bare),
            P::IsoDayOfYear => {
                let start = iso_year_start(iso_year(self.days));
                padded(self.days - start + 1, 3, bare)
            }
            P::DayOfWeek if !self.is_interval => ((self.days + 4).rem_euclid(7) + 1).to_string(),
            P::IsoDayOfWeek if !self.is_interval => iso_day_of_week(self.days).to_string(),
            P::WeekOfMonth => ((self.day - 1) / 7 + 1).to_string(),
            P::WeekOfYear => padded((self.day_of_year - 1) / 7 + 1, 2, bare),
            P::IsoWeek => {
                let start = iso_year_start(iso_year(self.days));
                padded((self.days - start) / 7 + 1, 2, bare)
            }
            P::Quarter if self.month == 0 => String::new(),
            P::Quarter => ((self.month - 1) / 3 + 1).to_string(),
            P::Century => {
                let century = if self.is_interval {
                    self.year / 100
                } else if self.year > 0 {
                    (self.year - 1) / 100 + 1
                } else {
                    self.year / 100 - 1
                };
                padded(century, 2, bare)
            }
            P::Julian => (self.days + JULIAN_OF_1970).to_string(),
            _ => return None,
        })
    }

    /// A pattern that is letters, or an offset.
    fn name(&self, pattern: Pattern, case: Case, bare: bool) -> Result<String> {
        use Pattern as P;
        let index = |number: i64| usize::try_from(number).unwrap_or(0);
        let of_name = |names: &[&'static str], at: usize, name: Name| match name {
            Name::Short => cased(short(names, at), case),
            Name::Full => {
                let full = cased(names.get(at).copied().unwrap_or_default(), case);
                if bare { full } else { format!("{full:9}") }
            }
        };
        let of_interval = || {
            let message = "invalid format specification for an interval value";
            Error::new(SqlState::INVALID_DATETIME_FORMAT, message)
                .with_hint("Intervals are not tied to specific calendar dates.")
        };
        Ok(match pattern {
            P::Meridiem { dotted } => {
                let is_afternoon = self.hour.rem_euclid(24) >= 12;
                let text = match (is_afternoon, dotted) {
                    (true, true) => "P.M.",
                    (true, false) => "PM",
                    (false, true) => "A.M.",
                    (false, false) => "AM",
                };
                cased(text, case)
            }
            P::Roman if self.month == 0 && self.year == 0 => String::new(),
            P::Roman => {
                let at = match self.month {
                    0 if self.year < 0 => 0,
                    0 => 11,
                    // Months before the start count from the end.
                    month if month < 0 => index(month + 12),
                    month => index(month - 1),
                };
                let roman = cased(ROMAN.get(at).copied().unwrap_or_default(), case);
                if bare { roman } else { format!("{roman:4}") }
            }
            _ if self.is_interval => return Err(of_interval()),
            P::Era { dotted } => {
                let text = match (self.year <= 0, dotted) {
                    (true, true) => "B.C.",
                    (true, false) => "BC",
                    (false, true) => "A.D.",
                    (false, false) => "AD",
                };
                cased(text, case)
            }
            P::Month(name) => of_name(&MONTHS, index(self.month - 1), name),
            P::Day(name) => of_name(&DAYS, index((self.days + 4).rem_euclid(7)), name),
            pattern => match &self.zone {
                Some(zone) => offset(zone, pattern, case, bare),
                // A timestamp without time zone shows none, and the offset of UTC.
                None if pattern == P::Zone => String::new(),
                None => offset(&LocalTime::default(), pattern, case, bare),
            },
        })
    }
}

fn offset(zone: &LocalTime, pattern: Pattern, case: Case, bare: bool) -> String {
    let sign = if zone.offset_s < 0 { '-' } else { '+' };
    let size = zone.offset_s.unsigned_abs();
    let (hours, minutes) = (size / 3600, size / 60 % 60);
    match pattern {
        Pattern::Zone if case == Case::Lower => zone.abbreviation.to_ascii_lowercase(),
        Pattern::Zone => zone.abbreviation.clone(),
        Pattern::ZoneHour => format!("{sign}{hours:02}"),
        Pattern::ZoneMinute => format!("{minutes:02}"),
        _ => {
            let width = if bare { 0 } else { 2 };
            let mut text = format!("{sign}{hours:0width$}");
            if minutes != 0 {
                // Writing to a string cannot fail.
                let _ = write!(text, ":{minutes:02}");
            }
            text
        }
    }
}

#[cfg(test)]
#[path = "to_char_tests.rs"]
mod tests;
