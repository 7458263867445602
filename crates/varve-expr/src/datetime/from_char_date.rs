//! The moment that the parts of a text make.

use varve_types::{Error, Result, SqlState};

use super::civil::{Civil, DAY_US, HOUR_US, SECOND_US, check_date, check_timestamp};
use super::decode::JULIAN_OF_1970;
use super::field::iso_year_start;
use super::from_char::{Flag, read};
use super::template::Pattern;
use super::zone::Zone;

/// The calendar that a template goes by.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Convention {
    #[default]
    Any,
    Gregorian,
    IsoWeek,
}

/// What was read; 0 is what was not.
#[derive(Default)]
pub(super) struct Parts {
    convention: Convention,
    values: [i64; PLACES],
    afternoon: Option<bool>,
    before_christ: Option<bool>,
    pub(super) is_12_hours: bool,
    pub(super) year_digits: u32,
    pub(super) zone_sign: i64,
    /// The digits of seconds that `FF1` to `FF6` leave.
    pub(super) second_digits: Option<u32>,
}

/// How many kinds of values there are.
const PLACES: usize = 17;

/// The place of a pattern's value; two that mean the same have one.
fn place(pattern: Pattern) -> usize {
    use Pattern as P;
    match pattern {
        P::Hour12 | P::Hour24 => 0,
        P::Minute => 1,
        P::Second => 2,
        P::SecondsOfDay => 3,
        P::Millisecond => 4,
        P::Microsecond | P::Fraction(_) => 5,
        P::Year { .. } => 6,
        P::MonthNumber => 7,
        P::DayOfMonth => 8,
        P::DayOfYear | P::IsoDayOfYear => 9,
        P::DayOfWeek | P::IsoDayOfWeek => 10,
        P::WeekOfMonth => 11,
        P::WeekOfYear | P::IsoWeek => 12,
        P::Century => 13,
        P::Julian => 14,
        P::ZoneHour => 15,
        _ => 16,
    }
}

fn invalid(message: &str) -> Error {
    Error::new(SqlState::INVALID_DATETIME_FORMAT, message)
}

fn conflict(name: &str) -> Error {
    let message = format!("conflicting values for \"{name}\" field in formatting string");
    invalid(&message)
        .with_detail("This value contradicts a previous setting for the same field type.")
}

impl Parts {
    /// Notes the calendar of a pattern; templates have one.
    pub(super) fn convention(&mut self, pattern: Pattern) -> Result<()> {
        use Pattern as P;
        let of = match pattern {
            P::Year { iso: true, .. } | P::IsoDayOfYear | P::IsoDayOfWeek | P::IsoWeek => {
                Convention::IsoWeek
            }
            P::Century
            | P::Day(_)
            | P::DayOfYear
            | P::DayOfMonth
            | P::DayOfWeek
            | P::Month(_)
            | P::MonthNumber
            | P::Roman
            | P::WeekOfYear
            | P::WeekOfMonth
            | P::Year { .. }
            | P::YearWithComma => Convention::Gregorian,
            _ => return Ok(()),
        };
        if self.convention != Convention::Any && self.convention != of {
            return Err(
                invalid("invalid combination of date conventions").with_hint(
                    "Do not mix Gregorian and ISO week date conventions in a formatting template.",
                ),
            );
        }
        self.convention = of;
        Ok(())
    }

    pub(super) fn set(&mut self, pattern: Pattern, value: i64, name: &str) -> Result<()> {
        let Some(slot) = self.values.get_mut(place(pattern)) else {
            return Ok(());
        };
        if *slot != 0 && *slot != value {
            return Err(conflict(name));
        }
        *slot = value;
        Ok(())
    }

    pub(super) fn set_flag(&mut self, flag: Flag, value: bool, name: &str) -> Result<()> {
        let slot = match flag {
            Flag::Afternoon => &mut self.afternoon,
            Flag::BeforeChrist => &mut self.before_christ,
        };
        if slot.is_some_and(|before| before && !value) {
            return Err(conflict(name));
        }
        *slot = Some(value);
        Ok(())
    }

    fn get(&self, pattern: Pattern) -> i64 {
        self.values.get(place(pattern)).copied().unwrap_or(0)
    }

    /// Microseconds of the day.
    fn time(&self, text: &str) -> Result<i64> {
        use Pattern as P;
        let seconds = self.get(P::SecondsOfDay);
        let or = |value: i64, default: i64| if value == 0 { default } else { value };
        let mut hour = or(self.get(P::Hour24), seconds / 3600);
        let minute = or(self.get(P::Minute), seconds / 60 % 60);
        let second = or(self.get(P::Second), seconds % 60);
        if self.is_12_hours {
            if !(1..=12).contains(&hour) {
                let message = format!("hour \"{hour}\" is invalid for the 12-hour clock");
                return Err(invalid(&message)
                    .with_hint("Use the 24-hour clock, or give an hour between 1 and 12."));
            }
            hour = hour % 12 + if self.afternoon == Some(true) { 12 } else { 0 };
        }
        let us = self.get(P::Millisecond) * 1000 + self.get(P::Microsecond);
        let is_sound = (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..SECOND_US).contains(&us);
        if !is_sound {
            return Err(out_of_range(text));
        }
        Ok(hour * HOUR_US + (minute * 60 + second) * SECOND_US + us)
    }

    /// The year, where 0 is 1 BC.
    fn year(&self) -> i64 {
        let pattern = Pattern::Year {
            digits: 4,
            iso: false,
        };
        let is_before = self.before_christ == Some(true);
        let signed = |number: i64| if is_before { -number } else { number };
        let (year, century) = (self.get(pattern), self.get(Pattern::Century));
        if year == 0 && century == 0 {
            return 0;
        }
        if year == 0 {
            let century = signed(century);
            return (century - i64::from(century >= 0)) * 100 + 1;
        }
        if century != 0 && self.year_digits <= 2 {
            let century = signed(century);
            return match (year % 100, century >= 0) {
                (0, true) => century * 100,
                (0, false) => century * 100 + 1,
                (of_century, true) => (century - 1) * 100 + of_century,
                (of_century, false) => (century + 1) * 100 - of_century + 1,
            };
        }
        let year = signed(year);
        year + i64::from(year < 0)
    }

    /// The day, from 1970.
    fn day(&self, text: &str) -> Result<i64> {
        use Pattern as P;
        let is_week = self.convention == Convention::IsoWeek;
        let mut civil = Civil {
            year: self.year(),
            month: 1,
            day: 1,
        };
        if !(-5_000..6_000_000).contains(&civil.year) {
            return Err(too_far(text));
        }
        let mut day_of_year = self.get(P::DayOfYear);
        let (julian, week) = (self.get(P::Julian), self.get(P::WeekOfYear));
        if julian != 0 {
            civil = Civil::from_days(julian - JULIAN_OF_1970);
        }
        if week != 0 && is_week {
            civil = self.day_of_iso_week(civil.year, week);
        } else if week != 0 {
            day_of_year = (week - 1) * 7 + 1;
        }
        let of_month = self.get(P::WeekOfMonth);
        let day = match of_month {
            0 => self.get(P::DayOfMonth),
            week => (week - 1) * 7 + 1,
        };
        if day != 0 {
            civil.day = day;
        }
        let month = self.get(P::MonthNumber);
        if month != 0 {
            civil.month = month;
        }
        if day_of_year != 0 && (civil.month <= 1 || civil.day <= 1) {
            civil = self.with_day_of_year(civil, day_of_year, text)?;
        }
        if !(1..=12).contains(&civil.month) || !(1..=31).contains(&civil.day) || !civil.is_sound() {
            return Err(out_of_range(text));
        }
        Ok(civil.days())
    }

    /// The day in a week of a year, its Monday where none was read.
    fn day_of_iso_week(&self, year: i64, week: i64) -> Civil {
        let sunday_first = self.get(Pattern::DayOfWeek);
        let past = if sunday_first == 0 {
            0
        } else {
            (sunday_first + 5) % 7
        };
        Civil::from_days(iso_year_start(year).saturating_add((week - 1) * 7 + past))
    }

    /// A day with the month and the day that follow from its place in the year, where they were not
    /// read.
    fn with_day_of_year(&self, civil: Civil, day_of_year: i64, text: &str) -> Result<Civil> {
        if civil.year == 0 && self.before_christ != Some(true) {
            let message = "cannot calculate day of year without year information";
            return Err(invalid(message));
        }
        let is_week = self.convention == Convention::IsoWeek;
        let start = match is_week {
            true => iso_year_start(civil.year),
            false => Civil {
                month: 1,
                day: 1,
                ..civil
            }
            .days(),
        };
        let found = Civil::from_days(start.saturating_add(day_of_year - 1));
        if is_week {
            return Ok(found);
        }
        if found.year != civil.year {
            return Err(out_of_range(text));
        }
        let or = |read: i64, found: i64| if read <= 1 { found } else { read };
        Ok(Civil {
            month: or(civil.month, found.month),
            day: or(civil.day, found.day),
            ..civil
        })
    }
}

fn out_of_range(text: &str) -> Error {
    let message = format!("date/time field value out of range: \"{text}\"");
    Error::new(SqlState::DATETIME_FIELD_OVERFLOW, message)
}

fn too_far(text: &str) -> Error {
    let message = format!("date out of range: \"{text}\"");
    Error::new(SqlState::DATETIME_FIELD_OVERFLOW, message)
}

/// `to_date(text, template)`
pub(crate) fn date_from_char(text: &str, template: &str) -> Result<i32> {
    let parts = read(text, template)?;
    let day = parts.day(text)?;
    parts.time(text)?;
    check_date(day).map_err(|_| too_far(text))
}

/// `to_timestamp(text, template)`, in a time zone where the text names none.
pub(crate) fn timestamp_from_char(text: &str, template: &str, zone: &Zone) -> Result<i64> {
    let parts = read(text, template)?;
    let (day, time) = (parts.day(text)?, parts.time(text)?);
    let unit = 10_i64.pow(6 - parts.second_digits.unwrap_or(6).min(6));
    let time = (time + unit / 2) / unit * unit;
    let local = check_timestamp(i128::from(day) * i128::from(DAY_US) + i128::from(time))?;
    if parts.zone_sign == 0 {
        return check_timestamp(i128::from(zone.utc_us(local)));
    }
    let (hours, minutes) = (parts.get(Pattern::ZoneHour), parts.get(Pattern::ZoneMinute));
    if !(0..=15).contains(&hours) || !(0..60).contains(&minutes) {
        let message = format!("time zone displacement out of range: \"{text}\"");
        return Err(Error::new(
            SqlState::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
            message,
        ));
    }
    let offset = parts.zone_sign * (hours * 60 + minutes) * 60 * SECOND_US;
    check_timestamp(i128::from(local) - i128::from(offset))
}
