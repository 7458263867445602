//! What intervals are bounded by: `INTERVAL '1-2' YEAR TO MONTH`, `interval second(3)`.

use varve_ast::{IntervalField, IntervalFields as Named, IntervalLiteral};
use varve_types::{IntervalFields, TypeMod};

/// The modifier of an interval type of these fields and so many digits of seconds.
pub fn interval_modifier(fields: Option<Named>, digits: Option<u64>) -> TypeMod {
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
pub fn literal_modifier(interval: &IntervalLiteral) -> TypeMod {
    let fields = match (interval.first, interval.last) {
        (None, _) => IntervalFields::ALL,
        (Some(first), None) => field(first),
        (Some(first), Some(last)) => IntervalFields::between(field(first), field(last)),
    };
    bounded(fields, interval.precision)
}

fn bounded(fields: IntervalFields, digits: Option<u64>) -> TypeMod {
    // More than six digits are six.
    let digits = digits.map(|digits| u8::try_from(digits.min(6)).unwrap_or(6));
    TypeMod::of_interval(fields, digits)
}

fn field(field: IntervalField) -> IntervalFields {
    match field {
        IntervalField::Year => IntervalFields::YEAR,
        IntervalField::Month => IntervalFields::MONTH,
        IntervalField::Day => IntervalFields::DAY,
        IntervalField::Hour => IntervalFields::HOUR,
        IntervalField::Minute => IntervalFields::MINUTE,
        IntervalField::Second => IntervalFields::SECOND,
    }
}
