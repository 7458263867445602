//! Fields of dates, times, timestamps and intervals: EXTRACT and date_trunc.

use varve_types::{Decimal, Error, Interval, LogicalType, Result, SqlState};

use super::civil::{Civil, DAY_US, HOUR_US, SECOND_US, split_day};
use super::decode::JULIAN_OF_1970;

/// A field that EXTRACT reads or date_trunc cuts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Microseconds,
    Milliseconds,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
    DayOfWeek,
    IsoDayOfWeek,
    DayOfYear,
    IsoYear,
    Epoch,
    Julian,
    Timezone,
    TimezoneHour,
    TimezoneMinute,
}

const NAMES: [(&str, Field); 72] = [
    ("microseconds", Field::Microseconds),
    ("microsecond", Field::Microseconds),
    ("us", Field::Microseconds),
    ("usec", Field::Microseconds),
    ("usecs", Field::Microseconds),
    ("milliseconds", Field::Milliseconds),
    ("millisecond", Field::Milliseconds),
    ("ms", Field::Milliseconds),
    ("msec", Field::Milliseconds),
    ("msecs", Field::Milliseconds),
    ("second", Field::Second),
    ("seconds", Field::Second),
    ("sec", Field::Second),
    ("secs", Field::Second),
    ("s", Field::Second),
    ("minute", Field::Minute),
    ("minutes", Field::Minute),
    ("min", Field::Minute),
    ("mins", Field::Minute),
    ("m", Field::Minute),
    ("hour", Field::Hour),
    ("hours", Field::Hour),
    ("hr", Field::Hour),
    ("hrs", Field::Hour),
    ("h", Field::Hour),
    ("day", Field::Day),
    ("days", Field::Day),
    ("d", Field::Day),
    ("week", Field::Week),
    ("weeks", Field::Week),
    ("w", Field::Week),
    ("month", Field::Month),
    ("months", Field::Month),
    ("mon", Field::Month),
    ("mons", Field::Month),
    ("quarter", Field::Quarter),
    ("qtr", Field::Quarter),
    ("year", Field::Year),
    ("years", Field::Year),
    ("yr", Field::Year),
    ("yrs", Field::Year),
    ("y", Field::Year),
    ("decade", Field::Decade),
    ("decades", Field::Decade),
    ("dec", Field::Decade),
    ("century", Field::Century),
    ("centuries", Field::Century),
    ("cent", Field::Century),
    ("millennium", Field::Millennium),
    ("millennia", Field::Millennium),
    ("mil", Field::Millennium),
    ("dow", Field::DayOfWeek),
    ("isodow", Field::IsoDayOfWeek),
    ("doy", Field::DayOfYear),
    ("isoyear", Field::IsoYear),
    ("epoch", Field::Epoch),
    ("julian", Field::Julian),
    ("timezone", Field::Timezone),
    ("j", Field::Julian),
    ("jd", Field::Julian),
    ("timezone_h", Field::TimezoneHour),
    ("timezone_m", Field::TimezoneMinute),
    ("usecond", Field::Microseconds),
    ("useconds", Field::Microseconds),
    ("microsecon", Field::Microseconds),
    ("msecond", Field::Milliseconds),
    ("mseconds", Field::Milliseconds),
    ("millisecon", Field::Milliseconds),
    ("decs", Field::Decade),
    ("c", Field::Century),
    ("mils", Field::Millennium),
    ("mm", Field::Minute),
];

/// PostgreSQL compares so many letters of a name.
const NAME_LETTERS: usize = 10;

/// What a field is: so many units of 10^-scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) units: i64,
    pub(crate) scale: u8,
}

impl Part {
    fn whole(units: i64) -> Part {
        Part { units, scale: 0 }
    }

    fn decimal(self) -> Decimal {
        Decimal::from_parts(i128::from(self.units), self.scale)
    }

    /// The part as a double: whole units and the rest of them apart, as PostgreSQL adds them up.
    fn double(self) -> f64 {
        let unit = 10_i64.pow(u32::from(self.scale));
        exact(self.units / unit) + exact(self.units % unit) / exact(unit)
    }
}

/// What EXTRACT answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extracted {
    Part(Part),
    /// Microseconds of an interval that do not fit 64 bits.
    Epoch(i128),
    /// Days and microseconds of the next one.
    Days(i64, i64),
    /// Of an infinite date or timestamp, whether it is the positive one.
    Infinite(bool),
    Null,
}

impl Extracted {
    /// As EXTRACT answers it.
    pub(crate) fn decimal(self) -> Result<Option<Decimal>> {
        Ok(Some(match self {
            Extracted::Part(part) => part.decimal(),
            Extracted::Epoch(us) => Decimal::from_parts(us, 6),
            Extracted::Days(days, us) => {
                let of_day = Part::whole(us).decimal();
                let of_day = of_day.divided_by(Part::whole(DAY_US).decimal())?;
                Part::whole(days).decimal().plus(of_day)?
            }
            Extracted::Infinite(true) => Decimal::INFINITY,
            Extracted::Infinite(false) => Decimal::NEG_INFINITY,
            Extracted::Null => return Ok(None),
        }))
    }

    /// As date_part answers it.
    pub(crate) fn double(self, field: Field) -> Option<f64> {
        Some(match self {
            Extracted::Part(part) if field == Field::Epoch && part.scale == 6 => {
                exact(part.units) / 1e6
            }
            Extracted::Part(part) => part.double(),
            Extracted::Epoch(us) => Decimal::from_parts(us, 6).to_f64(),
            Extracted::Days(days, us) => exact(days) + exact(us) / exact(DAY_US),
            Extracted::Infinite(true) => f64::INFINITY,
            Extracted::Infinite(false) => f64::NEG_INFINITY,
            Extracted::Null => return None,
        })
    }
}

impl Field {
    /// The field of this name; `22023` for an unknown one. `ty` is what it is asked of.
    pub(crate) fn from_name(name: &str, ty: LogicalType) -> Result<Field> {
        let kept = name.get(..NAME_LETTERS).unwrap_or(name);
        let named = |(known, _): &&(&str, Field)| {
            let known = known.get(..NAME_LETTERS).unwrap_or(known);
            known.eq_ignore_ascii_case(kept)
        };
        NAMES
            .iter()
            .find(named)
            .map(|(_, field)| *field)
            .ok_or_else(|| Field::unrecognized(name, ty))
    }

    fn unrecognized(name: &str, ty: LogicalType) -> Error {
        let name = name.to_ascii_lowercase();
        Error::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("unit \"{name}\" not recognized for type {ty}"),
        )
    }

    /// What `date_trunc` says to a field that it does not cut at: most it takes for no unit at all.
    pub(crate) fn untruncatable(self, name: &str, ty: LogicalType) -> Error {
        match self {
            Field::Timezone | Field::TimezoneHour | Field::TimezoneMinute => {
                Field::unsupported(name, ty)
            }
            _ => Field::unrecognized(name, ty),
        }
    }

    /// `0A000`: the field is known, but not of this type or not for this use.
    pub(crate) fn unsupported(name: &str, ty: LogicalType) -> Error {
        let name = name.to_ascii_lowercase();
        Error::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("unit \"{name}\" not supported for type {ty}"),
        )
    }

    /// Whether the type has the field.
    pub(crate) fn is_of(self, ty: LogicalType) -> bool {
        use Field as F;
        match self {
            F::Microseconds | F::Milliseconds | F::Second | F::Minute | F::Hour => {
                ty != LogicalType::Date
            }
            F::Timezone | F::TimezoneHour | F::TimezoneMinute => ty == LogicalType::TimestampTz,
            F::Epoch => true,
            F::Day | F::Month | F::Quarter | F::Year | F::Decade | F::Century | F::Millennium => {
                ty != LogicalType::Time
            }
            _ => !matches!(ty, LogicalType::Time | LogicalType::Interval),
        }
    }

    /// Whether date_trunc cuts to the field.
    pub(crate) fn is_truncatable(self) -> bool {
        !matches!(
            self,
            Field::DayOfWeek
                | Field::IsoDayOfWeek
                | Field::DayOfYear
                | Field::IsoYear
                | Field::Epoch
                | Field::Julian
                | Field::Timezone
                | Field::TimezoneHour
                | Field::TimezoneMinute
        )
    }

    /// Of an infinite date or timestamp: what grows with time is infinite, what comes again is
    /// NULL.
    pub(crate) fn extract_infinite(self, is_late: bool) -> Extracted {
        match self {
            Field::Year
            | Field::Decade
            | Field::Century
            | Field::Millennium
            | Field::Julian
            | Field::IsoYear
            | Field::Epoch => Extracted::Infinite(is_late),
            _ => Extracted::Null,
        }
    }

    /// The field of a time of day.
    fn of_time(self, of_day_us: i64) -> Option<Part> {
        let of_minute = of_day_us % (60 * SECOND_US);
        Some(match self {
            Field::Microseconds => Part::whole(of_minute),
            Field::Milliseconds => Part {
                units: of_minute,
                scale: 3,
            },
            Field::Second => Part {
                units: of_minute,
                scale: 6,
            },
            Field::Minute => Part::whole(of_day_us / (60 * SECOND_US) % 60),
            Field::Hour => Part::whole(of_day_us / HOUR_US),
            _ => return None,
        })
    }

    /// The field of a time of day, which may be its epoch.
    pub(crate) fn extract_time(self, us: i64) -> Extracted {
        let part = self.of_time(us);
        Extracted::Part(part.unwrap_or(Part {
            units: us,
            scale: 6,
        }))
    }

    /// The field of a timestamp, as clocks so many seconds east of UTC show it.
    pub(crate) fn extract(self, us: i64, offset_s: i32) -> Extracted {
        let offset_s = i64::from(offset_s);
        let (days, of_day) = split_day(us + offset_s * SECOND_US);
        Extracted::Part(match self {
            Field::Epoch => Part {
                units: us,
                scale: 6,
            },
            Field::Julian => return Extracted::Days(days + JULIAN_OF_1970, of_day),
            Field::Timezone => Part::whole(offset_s),
            Field::TimezoneHour => Part::whole(offset_s / 3600),
            Field::TimezoneMinute => Part::whole(offset_s / 60 % 60),
            _ => match self.of_time(of_day) {
                Some(part) => part,
                None => Part::whole(self.of_days(days)),
            },
        })
    }

    /// The field of a date.
    pub(crate) fn extract_date(self, date: i32) -> Extracted {
        let days = i64::from(date);
        Extracted::Part(Part::whole(match self {
            Field::Epoch => days * (DAY_US / SECOND_US),
            Field::Julian => days + JULIAN_OF_1970,
            _ => self.of_days(days),
        }))
    }

    /// The field of an interval, all of whose parts keep their signs.
    pub(crate) fn extract_interval(self, interval: Interval) -> Extracted {
        let Interval { months, days, us } = interval;
        let (years, of_year) = (i64::from(months / 12), i64::from(months % 12));
        Extracted::Part(match self {
            Field::Day => Part::whole(days.into()),
            Field::Month => Part::whole(of_year),
            Field::Quarter => Part::whole(of_year / 3 + 1),
            Field::Year => Part::whole(years),
            Field::Decade => Part::whole(years / 10),
            Field::Century => Part::whole(years / 100),
            Field::Millennium => Part::whole(years / 1000),
            Field::Epoch => {
                // A year has 365.25 days, a month 30.
                let quarter_days = years * 1461 + (of_year * 30 + i64::from(days)) * 4;
                let days_us = i128::from(quarter_days) * i128::from(DAY_US / 4);
                let units = days_us + i128::from(us);
                match i64::try_from(units) {
                    Ok(units) => Part { units, scale: 6 },
                    Err(_) => return Extracted::Epoch(units),
                }
            }
            _ => self.of_time(us).unwrap_or(Part::whole(0)),
        })
    }

    /// An interval without what is smaller than the field.
    pub(crate) fn truncate_interval(self, interval: Interval) -> Interval {
        let Interval { months, days, us } = interval;
        let whole_months = |unit: i32| Interval {
            months: months - months % unit,
            days: 0,
            us: 0,
        };
        let whole_us = |unit: i64| Interval {
            us: us - us % unit,
            ..interval
        };
        match self {
            Field::Millennium => whole_months(12_000),
            Field::Century => whole_months(1200),
            Field::Decade => whole_months(120),
            Field::Year => whole_months(12),
            Field::Quarter => whole_months(3),
            Field::Month => whole_months(1),
            Field::Day => Interval {
                months,
                days,
                us: 0,
            },
            Field::Hour => whole_us(HOUR_US),
            Field::Minute => whole_us(60 * SECOND_US),
            Field::Second => whole_us(SECOND_US),
            Field::Milliseconds => whole_us(1000),
            _ => interval,
        }
    }

    /// Whether spans of the field begin at midnight.
    pub(crate) fn is_of_days(self) -> bool {
        !matches!(
            self,
            Field::Microseconds | Field::Milliseconds | Field::Second | Field::Minute | Field::Hour
        )
    }

    /// A field that does not depend on the time of day.
    fn of_days(self, days: i64) -> i64 {
        let civil = Civil::from_days(days);
        let year = civil.year;
        match self {
            Field::DayOfWeek => (days + 4).rem_euclid(7),
            Field::IsoDayOfWeek => iso_day_of_week(days),
            Field::DayOfYear => days - first_day(year, 1) + 1,
            Field::Week => (days - iso_year_start(iso_year(days))) / 7 + 1,
            Field::IsoYear => written_year(iso_year(days)),
            Field::Day => civil.day,
            Field::Month => civil.month,
            Field::Quarter => (civil.month - 1) / 3 + 1,
            Field::Decade => year.div_euclid(10),
            Field::Century => span_number(year, 100),
            Field::Millennium => span_number(year, 1000),
            _ => written_year(year),
        }
    }

    /// The start of the field's span that holds the timestamp; it may lie before the first
    /// timestamp.
    pub(crate) fn truncate(self, us: i64) -> i64 {
        let (days, _) = split_day(us);
        let civil = Civil::from_days(days);
        let year = civil.year;
        let start = match self {
            Field::Microseconds => return us,
            Field::Milliseconds => return us - us.rem_euclid(1000),
            Field::Second => return us - us.rem_euclid(SECOND_US),
            Field::Minute => return us - us.rem_euclid(60 * SECOND_US),
            Field::Hour => return us - us.rem_euclid(HOUR_US),
            Field::Week => days - (iso_day_of_week(days) - 1),
            Field::Month => days - civil.day + 1,
            Field::Quarter => first_day(year, (civil.month - 1) / 3 * 3 + 1),
            Field::Year => first_day(year, 1),
            Field::Decade => first_day(year - year.rem_euclid(10), 1),
            Field::Century => first_day(year - (year - 1).rem_euclid(100), 1),
            Field::Millennium => first_day(year - (year - 1).rem_euclid(1000), 1),
            _ => days,
        };
        start * DAY_US
    }
}

/// Calendar numbers and seconds are far below 2^53; an epoch in microseconds rounds as PostgreSQL's
/// does.
#[expect(
    clippy::cast_precision_loss,
    reason = "the answer is a double by definition"
)]
fn exact(number: i64) -> f64 {
    number as f64
}

/// PostgreSQL has no year 0: 1 BC is year -1.
fn written_year(year: i64) -> i64 {
    if year > 0 { year } else { year - 1 }
}

/// Centuries and millennia begin with year 1; those before it are counted from -1 down.
fn span_number(year: i64, span: i64) -> i64 {
    if year > 0 {
        (year - 1) / span + 1
    } else {
        -((span - year) / span)
    }
}

fn first_day(year: i64, month: i64) -> i64 {
    Civil {
        year,
        month,
        day: 1,
    }
    .days()
}

/// Monday is 1.
pub(super) fn iso_day_of_week(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// The Monday of ISO week 1: the week that holds January 4.
pub(super) fn iso_year_start(year: i64) -> i64 {
    let january_4 = first_day(year, 1) + 3;
    january_4 - (iso_day_of_week(january_4) - 1)
}

/// The year that holds the Thursday of the day's week.
pub(super) fn iso_year(days: i64) -> i64 {
    Civil::from_days(days - iso_day_of_week(days) + 4).year
}
