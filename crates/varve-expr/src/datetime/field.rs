//! Fields of dates and timestamps: EXTRACT and date_trunc.

use varve_types::{Error, LogicalType, Result, SqlState};

use super::civil::{Civil, DAY_US, HOUR_US, SECOND_US, split_day};

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
}

const NAMES: [(&str, Field); 59] = [
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
];

impl Field {
    /// The field of this name; `22023` for an unknown one. `ty` is what it is asked of.
    pub(crate) fn from_name(name: &str, ty: LogicalType) -> Result<Field> {
        let named = |(known, _): &&(&str, Field)| known.eq_ignore_ascii_case(name.trim_ascii());
        NAMES
            .iter()
            .find(named)
            .map(|(_, field)| *field)
            .ok_or_else(|| {
                Error::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("unit \"{name}\" not recognized for type {ty}"),
                )
            })
    }

    /// `0A000`: the field is known, but not of this type or not for this use.
    pub(crate) fn unsupported(name: &str, ty: LogicalType) -> Error {
        Error::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("unit \"{name}\" not supported for type {ty}"),
        )
    }

    /// Whether a date has the field.
    pub(crate) fn is_of_date(self) -> bool {
        !matches!(
            self,
            Field::Microseconds
                | Field::Milliseconds
                | Field::Second
                | Field::Minute
                | Field::Hour
                | Field::Timezone
        )
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
        )
    }

    /// The field of a timestamp.
    pub(crate) fn extract(self, us: i64) -> f64 {
        let (days, of_day) = split_day(us);
        match self {
            Field::Microseconds => return exact(of_day % (60 * SECOND_US)),
            Field::Milliseconds => return exact(of_day % (60 * SECOND_US)) / 1e3,
            Field::Second => return exact(of_day % (60 * SECOND_US)) / 1e6,
            Field::Minute => return exact(of_day / (60 * SECOND_US) % 60),
            Field::Hour => return exact(of_day / HOUR_US),
            Field::Epoch => return exact(us) / 1e6,
            Field::Julian => return exact(days + 2_440_588) + exact(of_day) / exact(DAY_US),
            Field::Timezone => return 0.0,
            _ => {}
        }
        exact(self.of_days(days))
    }

    /// The field of a date.
    pub(crate) fn extract_date(self, date: i32) -> f64 {
        let days = i64::from(date);
        exact(match self {
            Field::Epoch => days * (DAY_US / SECOND_US),
            Field::Julian => days + 2_440_588,
            _ => self.of_days(days),
        })
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
fn iso_day_of_week(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// The Monday of ISO week 1: the week that holds January 4.
fn iso_year_start(year: i64) -> i64 {
    let january_4 = first_day(year, 1) + 3;
    january_4 - (iso_day_of_week(january_4) - 1)
}

/// The year that holds the Thursday of the day's week.
fn iso_year(days: i64) -> i64 {
    Civil::from_days(days - iso_day_of_week(days) + 4).year
}
