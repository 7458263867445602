//! Intervals times and divided by numbers, and the length of their units.

use varve_types::{Error, Interval, Result, SqlState};

use super::civil::DAY_US;
use super::interval_text::{Size, unit};

const MONTH_DAYS: f64 = 30.0;
const DAY_SECONDS: f64 = 86_400.0;
const SECOND_US: f64 = 1e6;

/// The microseconds of a unit of this name, in any case; none of months, which vary.
pub(crate) fn unit_us(word: &str) -> Option<i64> {
    match unit(&word.to_ascii_lowercase())?.size() {
        Size::Us(us) => Some(us),
        Size::Days(days) => Some(days * DAY_US),
        Size::Months(_) => None,
    }
}

/// The interval times a number. Fractions of months become days, those of days become time, as in
/// PostgreSQL.
pub(crate) fn times_interval(interval: Interval, factor: f64) -> Result<Interval> {
    scaled(interval, |part| part * factor)
}

/// The interval divided by a number.
pub(crate) fn divided_interval(interval: Interval, divisor: f64) -> Result<Interval> {
    if divisor == 0.0 {
        return Err(Error::new(SqlState::DIVISION_BY_ZERO, "division by zero"));
    }
    scaled(interval, |part| part / divisor)
}

/// To whole microseconds.
fn rounded(seconds: f64) -> f64 {
    libm::rint(seconds * SECOND_US) / SECOND_US
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "parts are cut off after their range is checked"
)]
fn scaled(interval: Interval, scale: impl Fn(f64) -> f64) -> Result<Interval> {
    let out_of_range = || Error::new(SqlState::DATETIME_FIELD_OVERFLOW, "interval out of range");
    let whole = |number: f64| {
        let fits = f64::from(i32::MIN) <= number && number <= f64::from(i32::MAX);
        fits.then_some(number as i32).ok_or_else(out_of_range)
    };
    let (scaled_months, scaled_days) = (
        scale(f64::from(interval.months)),
        scale(f64::from(interval.days)),
    );
    let (months, days) = (whole(scaled_months)?, whole(scaled_days)?);
    let month_days = rounded((scaled_months - f64::from(months)) * MONTH_DAYS);
    let part_of_day = scaled_days - f64::from(days) + month_days - f64::from(whole(month_days)?);
    let mut seconds = rounded(part_of_day * DAY_SECONDS);
    let mut more_days = whole(month_days)?;
    if libm::fabs(seconds) >= DAY_SECONDS {
        let carried = whole(seconds / DAY_SECONDS)?;
        more_days = more_days.checked_add(carried).ok_or_else(out_of_range)?;
        seconds -= f64::from(carried) * DAY_SECONDS;
    }
    let us = libm::rint(scale(interval.us as f64) + seconds * SECOND_US);
    // -2^63 and 2^63
    if !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&us) {
        return Err(out_of_range());
    }
    Ok(Interval {
        months,
        days: days.checked_add(more_days).ok_or_else(out_of_range)?,
        us: us as i64,
    })
}
