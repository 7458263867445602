//! The buckets of `time_bucket`: stretches of one width that follow each other without a gap.
//!
//! A width in days and time is a number of microseconds, and the buckets start at multiples of it
//! from an origin. A width in months counts months of the calendar. Where a time zone is given, the
//! buckets are those of its clocks, so that a day of 23 hours is one bucket.

use varve_types::{Error, Interval, Result, SqlState};

use super::civil::{Civil, DAY_US, check_timestamp, split_day};
use super::convert::{in_zone, is_infinite, out_of_zone, timestamp_out_of_range};
use super::interval::{add_interval, interval_out_of_range};
use super::zone::Zone;

/// 2000-01-03, a Monday: where buckets of days and weeks start.
const MONDAY_US: i64 = 10_959 * DAY_US;
/// 2000-01-01 as a month since year 0: where buckets of months start.
const JANUARY: i64 = 2000 * 12;

#[derive(Clone, Copy)]
enum Width {
    Us(i64),
    Months(i64),
}

/// How moments fall into buckets.
pub(crate) struct Buckets {
    width: Width,
    /// Microseconds, or months since year 0.
    origin: i64,
    offset: Option<Interval>,
    zone: Option<Zone>,
}

fn invalid(message: &str) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn month_of(us: i64) -> i64 {
    let day = Civil::from_days(split_day(us).0);
    day.year * 12 + day.month - 1
}

impl Buckets {
    /// The buckets of a width. The origin is by the clocks of the zone, if there is one.
    pub(crate) fn new(
        width: Interval,
        origin_us: Option<i64>,
        offset: Option<Interval>,
        zone: Option<Zone>,
    ) -> Result<Buckets> {
        let width = match width {
            Interval {
                months,
                days: 0,
                us: 0,
            } if months != 0 => Width::Months(i64::from(months)),
            Interval {
                months: 0,
                days,
                us,
            } => {
                let days_us = i64::from(days).checked_mul(DAY_US);
                let us = days_us.and_then(|days_us| days_us.checked_add(us));
                Width::Us(us.ok_or_else(interval_out_of_range)?)
            }
            _ => {
                return Err(Error::new(
                    SqlState::FEATURE_NOT_SUPPORTED,
                    "month intervals cannot have day or time component",
                ));
            }
        };
        let (Width::Us(number) | Width::Months(number)) = width;
        if number <= 0 {
            return Err(invalid("period must be greater than 0"));
        }
        if origin_us.is_some_and(is_infinite) {
            return Err(invalid("invalid origin value: infinity"));
        }
        Ok(Buckets {
            width,
            origin: match (width, origin_us) {
                (Width::Us(_), origin) => origin.unwrap_or(MONDAY_US),
                (Width::Months(_), origin) => origin.map_or(JANUARY, month_of),
            },
            offset,
            zone,
        })
    }

    /// The start of the bucket that holds a moment.
    pub(crate) fn start(&self, us: i64) -> Result<i64> {
        if is_infinite(us) {
            return Ok(us);
        }
        match &self.zone {
            Some(zone) => in_zone(self.local_start(out_of_zone(us, zone)?)?, zone),
            None => self.local_start(us),
        }
    }

    fn local_start(&self, us: i64) -> Result<i64> {
        match self.offset {
            None => self.plain_start(us),
            Some(offset) => add_interval(self.plain_start(without(us, offset)?)?, offset),
        }
    }

    /// A step of one bucket, by clocks.
    fn local_next(&self, us: i64, step: Interval) -> Result<i64> {
        match self.offset {
            None => add_interval(us, step),
            Some(offset) => add_interval(add_interval(without(us, offset)?, step)?, offset),
        }
    }

    fn plain_start(&self, us: i64) -> Result<i64> {
        match self.width {
            Width::Us(width) => {
                let past = (i128::from(us) - i128::from(self.origin)).rem_euclid(width.into());
                check_timestamp(i128::from(us) - past)
            }
            Width::Months(width) => {
                let month = month_of(us);
                month_start(month - (month - self.origin).rem_euclid(width))
            }
        }
    }

    /// The start of the bucket behind the one that starts at `start`.
    pub(crate) fn next(&self, start: i64) -> Result<i64> {
        if is_infinite(start) {
            return Ok(start);
        }
        let step = match self.width {
            Width::Us(us) => Interval {
                us,
                ..Interval::default()
            },
            Width::Months(months) => Interval {
                months: i32::try_from(months).map_err(|_| interval_out_of_range())?,
                ..Interval::default()
            },
        };
        let Some(zone) = &self.zone else {
            return self.local_next(start, step);
        };
        let mut local = self.local_next(out_of_zone(start, zone)?, step)?;
        // Where clocks are turned, a local time may come twice or not at all.
        loop {
            let next = in_zone(local, zone)?;
            if next > start {
                return Ok(next);
            }
            local = self.local_next(local, step)?;
        }
    }
}

/// A time before an interval was added to it.
fn without(us: i64, offset: Interval) -> Result<i64> {
    let negated = |part: i32| part.checked_neg().ok_or_else(interval_out_of_range);
    let back = Interval {
        months: negated(offset.months)?,
        days: negated(offset.days)?,
        us: offset.us.checked_neg().ok_or_else(interval_out_of_range)?,
    };
    add_interval(us, back)
}

fn month_start(month: i64) -> Result<i64> {
    let first = Civil {
        year: month.div_euclid(12),
        month: month.rem_euclid(12) + 1,
        day: 1,
    };
    check_timestamp(i128::from(first.days()) * i128::from(DAY_US))
}

/// The start of the bucket of whole numbers that holds one.
pub(crate) fn whole_bucket(width: i64, number: i64, offset: i64) -> Result<i64> {
    if width <= 0 {
        return Err(invalid("period must be greater than 0"));
    }
    let past = (i128::from(number) - i128::from(offset)).rem_euclid(width.into());
    i64::try_from(i128::from(number) - past).map_err(|_| timestamp_out_of_range())
}

#[cfg(test)]
mod tests {
    use super::{Buckets, DAY_US, whole_bucket};
    use crate::datetime::{SECOND_US, Zone};
    use proptest::prelude::{prop_assert, proptest};
    use varve_types::Interval;

    #[test]
    fn what_has_no_buckets() {
        let of = |months, us| Interval {
            months,
            us,
            ..Interval::default()
        };
        for width in [of(0, 0), of(0, -1), of(-1, 0), of(1, 1)] {
            assert!(Buckets::new(width, None, None, None).is_err(), "{width:?}");
        }
        assert!(whole_bucket(0, 1, 0).is_err());
        assert!(whole_bucket(i64::MAX, i64::MIN, 1).is_err());
    }

    proptest! {
        #[test]
        fn a_moment_is_in_its_bucket(
            us in -10_000 * DAY_US..20_000 * DAY_US,
            hours in 1_i64..100,
            months in 0_i32..20,
            offset in -100_i64..100,
        ) {
            let width = Interval {
                months,
                us: if months == 0 { hours * 3600 * SECOND_US } else { 0 },
                ..Interval::default()
            };
            let offset = Interval { us: offset * SECOND_US, ..Interval::default() };
            for zone in [None, Zone::named("Europe/Berlin")] {
                // Where clocks are turned, whole days are what holds together.
                if zone.is_some() && months == 0 {
                    continue;
                }
                let buckets = Buckets::new(width, None, Some(offset), zone)?;
                let start = buckets.start(us)?;
                prop_assert!(start <= us && us < buckets.next(start)?);
                prop_assert!(buckets.start(start)? == start);
            }
        }
    }
}
