//! Type modifiers: the length of varchar and character, precision and scale of numeric, the digits
//! of seconds.

use crate::LogicalType;

/// A type modifier as PostgreSQL stores it (`atttypmod`), beside the type of a column, a result
/// field or a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeMod(pub i32);

/// What PostgreSQL adds to a modifier that may be 0.
const OFFSET: i32 = 4;

impl Default for TypeMod {
    fn default() -> TypeMod {
        TypeMod::NONE
    }
}

impl TypeMod {
    /// No modifier.
    pub const NONE: TypeMod = TypeMod(-1);
    /// The fields of an interval with a precision but without a range of fields.
    const ALL_FIELDS: i32 = 0x7fff << 16;

    /// The modifier of `varchar(n)` and `character(n)`.
    pub fn of_length(length: i32) -> TypeMod {
        TypeMod(length.saturating_add(OFFSET))
    }

    /// The modifier of `numeric(precision, scale)`; the scale may be negative.
    pub fn of_numeric(precision: u16, scale: i16) -> TypeMod {
        TypeMod((i32::from(precision) << 16 | (i32::from(scale) & 0x7ff)) + OFFSET)
    }

    /// The modifier of `time(p)`, `timestamp(p)` and `timestamptz(p)`.
    pub fn of_seconds(digits: u8) -> TypeMod {
        TypeMod(i32::from(digits))
    }

    /// The modifier of `interval(p)`.
    pub fn of_interval_seconds(digits: u8) -> TypeMod {
        TypeMod(TypeMod::ALL_FIELDS | i32::from(digits))
    }

    /// Whether there is none.
    pub fn is_none(self) -> bool {
        self.0 < 0
    }

    /// The most characters of varchar and character, if bounded.
    pub fn length(self) -> Option<usize> {
        let length = self.0.checked_sub(OFFSET)?;
        usize::try_from(length).ok()
    }

    /// Precision and scale of numeric, if bounded.
    pub fn numeric(self) -> Option<(u16, i16)> {
        let bits = self.0.checked_sub(OFFSET).filter(|bits| *bits >= 0)?;
        let precision = u16::try_from(bits >> 16).ok()?;
        let scale = i16::try_from(((bits & 0x7ff) ^ 0x400) - 0x400).ok()?;
        Some((precision, scale))
    }

    /// The digits of seconds that times, timestamps and intervals keep, if bounded.
    pub fn seconds(self, ty: LogicalType) -> Option<u8> {
        use LogicalType::{Interval, Time, Timestamp, TimestampTz};
        let digits = match ty {
            _ if self.is_none() => return None,
            Interval => self.0 & 0xffff,
            Time | Timestamp | TimestampTz => self.0,
            _ => return None,
        };
        u8::try_from(digits).ok().filter(|digits| *digits <= 6)
    }

    /// The name that `format_type` gives a type with this modifier.
    pub fn name_of(self, ty: LogicalType) -> String {
        if let LogicalType::Array(element) = ty {
            return self.name_of(element.logical()) + "[]";
        }
        let name = ty.name();
        let bounded = match ty {
            LogicalType::Varchar | LogicalType::Bpchar => {
                self.length().map(|length| format!("{name}({length})"))
            }
            LogicalType::Numeric => self
                .numeric()
                .map(|(precision, scale)| format!("{name}({precision},{scale})")),
            // The digits stand before `with` or `without`.
            _ => self.seconds(ty).map(|digits| {
                let (first, rest) = name.split_once(' ').unwrap_or((name, ""));
                let space = if rest.is_empty() { "" } else { " " };
                format!("{first}({digits}){space}{rest}")
            }),
        };
        bounded.unwrap_or_else(|| name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::TypeMod;
    use crate::LogicalType;

    #[test]
    fn names_are_those_of_format_type() {
        let numbers = LogicalType::Numeric.array().unwrap();
        let cases = [
            (
                LogicalType::Varchar,
                TypeMod::of_length(3),
                "character varying(3)",
            ),
            (LogicalType::Bpchar, TypeMod::of_length(1), "character(1)"),
            (
                LogicalType::Numeric,
                TypeMod::of_numeric(10, 2),
                "numeric(10,2)",
            ),
            (
                LogicalType::Numeric,
                TypeMod::of_numeric(2, -3),
                "numeric(2,-3)",
            ),
            (numbers, TypeMod::of_numeric(38, 38), "numeric(38,38)[]"),
            (
                LogicalType::Time,
                TypeMod::of_seconds(0),
                "time(0) without time zone",
            ),
            (
                LogicalType::Timestamp,
                TypeMod::of_seconds(3),
                "timestamp(3) without time zone",
            ),
            (
                LogicalType::TimestampTz,
                TypeMod::of_seconds(6),
                "timestamp(6) with time zone",
            ),
            (
                LogicalType::Interval,
                TypeMod::of_interval_seconds(2),
                "interval(2)",
            ),
            (LogicalType::Numeric, TypeMod::NONE, "numeric"),
        ];
        for (ty, modifier, name) in cases {
            assert_eq!(modifier.name_of(ty), name);
        }
    }
}
