//! What intervals are bounded by: `INTERVAL '1-2' YEAR TO MONTH`, `interval second(3)`.

use sqlparser::ast::{DateTimeField, Interval, IntervalFields as Named};
use varve_types::{Error, IntervalFields, Result, TypeMod};

/// The modifier of an interval type of these fields and so many digits of seconds.
pub(super) fn interval_modifier(fields: Option<&Named>, digits: Option<u64>) -> TypeMod {
    use IntervalFields as F;
    let fields = match fields {
        None => F::ALL,
        Some(Named::Year) => F::YEAR,
        Some(Named::Month) => F::MONTH,
        Some(Named::Day) => F::DAY,
        Some(Named::Hour) => F::HOUR,
        Some(Named::Minute) => F::MINUTE,
        Some(Named::Second) => F::SECOND,
        Some(Named::YearToMonth) => F::between(F::YEAR, F::MONTH),
        Some(Named::DayToHour) => F::between(F::DAY, F::HOUR),
        Some(Named::DayToMinute) => F::between(F::DAY, F::MINUTE),
        Some(Named::DayToSecond) => F::between(F::DAY, F::SECOND),
        Some(Named::HourToMinute) => F::between(F::HOUR, F::MINUTE),
        Some(Named::HourToSecond) => F::between(F::HOUR, F::SECOND),
        Some(Named::MinuteToSecond) => F::MINUTE_TO_SECOND,
    };
    bounded(fields, digits)
}

/// The modifier of an interval literal.
pub(super) fn literal_modifier(interval: &Interval) -> Result<TypeMod> {
    let Interval {
        value: _,
        leading_field,
        leading_precision,
        last_field,
        fractional_seconds_precision,
    } = interval;
    let digits = leading_precision.or(*fractional_seconds_precision);
    let fields = match (leading_field, last_field) {
        (None, _) => IntervalFields::ALL,
        (Some(first), None) => field(first)?,
        (Some(first), Some(last)) => IntervalFields::between(field(first)?, field(last)?),
    };
    Ok(bounded(fields, digits))
}

fn bounded(fields: IntervalFields, digits: Option<u64>) -> TypeMod {
    // More than six digits are six.
    let digits = digits.map(|digits| u8::try_from(digits.min(6)).unwrap_or(6));
    TypeMod::of_interval(fields, digits)
}

fn field(field: &DateTimeField) -> Result<IntervalFields> {
    Ok(match field {
        DateTimeField::Year => IntervalFields::YEAR,
        DateTimeField::Month => IntervalFields::MONTH,
        DateTimeField::Day => IntervalFields::DAY,
        DateTimeField::Hour => IntervalFields::HOUR,
        DateTimeField::Minute => IntervalFields::MINUTE,
        DateTimeField::Second => IntervalFields::SECOND,
        other => {
            return Err(Error::unsupported(format!(
                "INTERVAL with the field {other}"
            )));
        }
    })
}
