//! The proleptic Gregorian calendar, counted in days from 1970-01-01.

use varve_types::{Error, Result, SqlState};

/// Microseconds of a second.
pub(crate) const SECOND_US: i64 = 1_000_000;
/// Microseconds of an hour.
pub(crate) const HOUR_US: i64 = 3600 * SECOND_US;
/// Microseconds of a day.
pub(crate) const DAY_US: i64 = 24 * HOUR_US;

/// 4714-11-24 BC, day 0 of the Julian count: PostgreSQL's first date and timestamp.
const DAY_MIN: i64 = -2_440_588;
/// One past PostgreSQL's last date, 5874897-12-31.
const DATE_DAY_END: i64 = 2_145_042_906;
/// One past the last day of timestamps, 294246-12-31: 64 bits of microseconds from 1970 hold some
/// days more, so that what the clocks of any zone show at a timestamp fits too. PostgreSQL counts
/// from 2000 and so ends 30 years later, with 294276.
const TIMESTAMP_DAY_END: i64 = 106_751_982;

/// Days of the cycle after which the calendar repeats, and its years.
const CYCLE_DAYS: i64 = 146_097;
const CYCLE_YEARS: i64 = 400;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_FROM_MARCH_0: i64 = 719_468;

/// A day of the calendar; year 0 is 1 BC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
}

impl Civil {
    /// The day that is `days` after 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last of its year and the months
    /// before it follow a pattern of 153 days in 5 months.
    pub(crate) fn from_days(days: i64) -> Civil {
        let shifted = days + EPOCH_FROM_MARCH_0;
        let cycle = shifted.div_euclid(CYCLE_DAYS);
        let of_cycle = shifted.rem_euclid(CYCLE_DAYS);
        let year_of_cycle =
            (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
        let of_year = of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
        let march_month = (5 * of_year + 2) / 153;
        let month = (march_month + 2) % 12 + 1;
        Civil {
            year: cycle * CYCLE_YEARS + year_of_cycle + i64::from(month <= 2),
            month,
            day: of_year - (153 * march_month + 2) / 5 + 1,
        }
    }

    /// Days after 1970-01-01. The month must be 1 to 12; a day past the end of the month runs on.
    pub(crate) fn days(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let cycle = year.div_euclid(CYCLE_YEARS);
        let year_of_cycle = year.rem_euclid(CYCLE_YEARS);
        let march_month = (self.month + 9) % 12;
        let of_year = (153 * march_month + 2) / 5 + self.day - 1;
        let of_cycle = 365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100 + of_year;
        cycle * CYCLE_DAYS + of_cycle - EPOCH_FROM_MARCH_0
    }

    /// Whether the month has such a day.
    pub(crate) fn is_sound(self) -> bool {
        (1..=12).contains(&self.month) && self.day >= 1 && Civil::from_days(self.days()) == self
    }
}

/// The day that holds a moment, and the microseconds passed in it.
pub(crate) fn split_day(us: i64) -> (i64, i64) {
    (us.div_euclid(DAY_US), us.rem_euclid(DAY_US))
}

/// A day number as the value of a date, or `22008` outside PostgreSQL's range.
pub fn check_date(days: i64) -> Result<i32> {
    match i32::try_from(days) {
        Ok(date) if (DAY_MIN..DATE_DAY_END).contains(&days) => Ok(date),
        _ => Err(Error::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            "date out of range",
        )),
    }
}

/// Microseconds as the value of a timestamp, or `22008` outside the range of timestamps.
pub fn check_timestamp(us: i128) -> Result<i64> {
    match i64::try_from(us) {
        Ok(us) if (DAY_MIN * DAY_US..TIMESTAMP_DAY_END * DAY_US).contains(&us) => Ok(us),
        _ => Err(Error::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            "timestamp out of range",
        )),
    }
}

/// Midnight at the start of a date.
pub(crate) fn midnight_us(date: i32) -> Result<i64> {
    check_timestamp(i128::from(date) * i128::from(DAY_US)).map_err(|_| {
        Error::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            "date out of range for timestamp",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Civil, DATE_DAY_END, DAY_MIN, TIMESTAMP_DAY_END};
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    fn civil(year: i64, month: i64, day: i64) -> Civil {
        Civil { year, month, day }
    }

    #[test]
    fn known_days() {
        let cases = [
            (civil(1970, 1, 1), 0),
            (civil(1969, 12, 31), -1),
            (civil(2000, 2, 29), 11_016),
            (civil(2000, 3, 1), 11_017),
            (civil(2013, 1, 1), 15_706),
            (civil(0, 3, 1), -719_468),
            (civil(-4713, 11, 24), DAY_MIN),
            (civil(294_247, 1, 1), TIMESTAMP_DAY_END),
            (civil(5_874_898, 1, 1), DATE_DAY_END),
        ];
        for (day, days) in cases {
            assert_eq!(day.days(), days, "{day:?}");
            assert_eq!(Civil::from_days(days), day, "{days}");
        }
        assert!(!civil(2100, 2, 29).is_sound());
        assert!(civil(2400, 2, 29).is_sound());
        assert!(!civil(2001, 4, 31).is_sound());
    }

    /// The slow twin: count days one by one through 800 years.
    #[test]
    fn each_day_follows_the_one_before() {
        let month_days = |year: i64, month: i64| match month {
            2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let mut expected = civil(1600, 1, 1);
        let first = expected.days();
        for days in first..first + 300_000 {
            assert_eq!(Civil::from_days(days), expected);
            expected.day += 1;
            if expected.day > month_days(expected.year, expected.month) {
                expected = civil(expected.year, expected.month + 1, 1);
            }
            if expected.month > 12 {
                expected = civil(expected.year + 1, 1, 1);
            }
        }
    }

    proptest! {
        #[test]
        fn there_and_back(days in DAY_MIN..DATE_DAY_END) {
            let day = Civil::from_days(days);
            prop_assert_eq!(day.days(), days);
            prop_assert!(day.is_sound());
        }
    }
}
