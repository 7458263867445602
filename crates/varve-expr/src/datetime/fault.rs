//! Why a text is no date, time or interval.

use varve_types::{Error, SqlState};

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It has no such form.
    Form,
    /// A number is too large or too small for its field.
    Range,
    /// As [`Fault::Range`]: of a month or day, which may stand in another order.
    DayRange,
    /// A field of an interval is too large.
    IntervalRange,
    /// The offset of a time zone is too large.
    ZoneRange,
    /// There is no such time zone.
    UnknownZone(String),
    /// The moment lies outside what the type holds.
    OutOfRange,
}

impl Fault {
    /// The error of a text that was to be a value of the type.
    pub(super) fn of(self, text: &str, type_name: &str) -> Error {
        let range = || {
            Error::new(
                SqlState::DATETIME_FIELD_OVERFLOW,
                format!("date/time field value out of range: \"{text}\""),
            )
        };
        match self {
            Fault::Form => Error::new(
                SqlState::INVALID_DATETIME_FORMAT,
                format!("invalid input syntax for type {type_name}: \"{text}\""),
            ),
            Fault::Range => range(),
            Fault::DayRange => {
                range().with_hint("Perhaps you need a different \"datestyle\" setting.")
            }
            Fault::IntervalRange => Error::new(
                SqlState::INTERVAL_FIELD_OVERFLOW,
                format!("interval field value out of range: \"{text}\""),
            ),
            Fault::ZoneRange => Error::new(
                SqlState::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
                format!("time zone displacement out of range: \"{text}\""),
            ),
            Fault::UnknownZone(zone) => unknown_zone(&zone),
            Fault::OutOfRange => {
                let name = type_name.split(' ').next().unwrap_or(type_name);
                Error::new(
                    SqlState::DATETIME_FIELD_OVERFLOW,
                    format!("{name} out of range: \"{text}\""),
                )
            }
        }
    }
}

/// `22023`
pub(crate) fn unknown_zone(name: &str) -> Error {
    Error::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("time zone \"{name}\" not recognized"),
    )
}
