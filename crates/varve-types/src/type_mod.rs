//! Type modifiers: the length of varchar and character, precision and scale of numeric, the digits
//! of seconds.

use crate::LogicalType;

/// A type modifier as PostgreSQL stores it (`atttypmod`), beside the type of a column, a result
/// field or a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeMod(pub i32);

/// The fields of an interval that a modifier leaves, as bits: `INTERVAL DAY TO MINUTE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalFields(pub u16);

impl IntervalFields {
    /// `MONTH`
    pub const MONTH: IntervalFields = IntervalFields(1 << 1);
    /// `YEAR`
    pub const YEAR: IntervalFields = IntervalFields(1 << 2);
    /// `DAY`
    pub const DAY: IntervalFields = IntervalFields(1 << 3);
    /// `HOUR`
    pub const HOUR: IntervalFields = IntervalFields(1 << 10);
    /// `MINUTE`
    pub const MINUTE: IntervalFields = IntervalFields(1 << 11);
    /// `SECOND`
    pub const SECOND: IntervalFields = IntervalFields(1 << 12);
    /// `MINUTE TO SECOND`
    pub const MINUTE_TO_SECOND: IntervalFields = IntervalFields(3 << 11);
    /// No bound.
    pub const ALL: IntervalFields = IntervalFields(0x7fff);

    /// The fields from the largest to the smallest, with their names.
    const NAMED: [(IntervalFields, &str); 6] = [
        (IntervalFields::YEAR, "year"),
        (IntervalFields::MONTH, "month"),
        (IntervalFields::DAY, "day"),
        (IntervalFields::HOUR, "hour"),
        (IntervalFields::MINUTE, "minute"),
        (IntervalFields::SECOND, "second"),
    ];

    /// All fields from the larger one `first` to the smaller one `last`.
    pub fn between(first: IntervalFields, last: IntervalFields) -> IntervalFields {
        let at = |wanted| Self::NAMED.iter().position(|(field, _)| *field == wanted);
        let (first, last) = (at(first).unwrap_or(0), at(last).unwrap_or(5));
        let chosen = Self::NAMED.iter().take(last + 1).skip(first);
        IntervalFields(chosen.fold(0, |bits, (field, _)| bits | field.0))
    }

    /// The smallest field.
    pub fn last(self) -> IntervalFields {
        let mut smallest_first = Self::NAMED.iter().rev();
        let found = smallest_first.find(|(field, _)| self.0 & field.0 != 0);
        found.map_or(IntervalFields::SECOND, |(field, _)| *field)
    }

    /// ` day to minute`, after the name of the type; empty without a bound.
    fn name(self) -> String {
        if self == IntervalFields::ALL {
            return String::new();
        }
        let chosen = || {
            Self::NAMED
                .iter()
                .filter(|(field, _)| self.0 & field.0 != 0)
        };
        let first = chosen().next().map_or("", |(_, name)| *name);
        match chosen().next_back() {
            Some((_, last)) if *last != first => format!(" {first} to {last}"),
            _ => format!(" {first}"),
        }
    }
}

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
    /// The digits of seconds of an interval that has none.
    const ALL_DIGITS: i32 = 0xffff;

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

    /// The modifier of `interval fields(p)`.
    pub fn of_interval(fields: IntervalFields, digits: Option<u8>) -> TypeMod {
        let digits = digits.map_or(TypeMod::ALL_DIGITS, i32::from);
        if fields == IntervalFields::ALL && digits == TypeMod::ALL_DIGITS {
            return TypeMod::NONE;
        }
        TypeMod(i32::from(fields.0) << 16 | digits)
    }

    /// The fields of an interval.
    pub fn interval_fields(self) -> IntervalFields {
        if self.is_none() {
            return IntervalFields::ALL;
        }
        IntervalFields(u16::try_from(self.0 >> 16).unwrap_or(IntervalFields::ALL.0))
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
            LogicalType::Interval => {
                let digits = self.seconds(ty).map(|digits| format!("({digits})"));
                let fields = self.interval_fields().name();
                Some(format!("{name}{fields}{}", digits.unwrap_or_default()))
            }
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
    use super::{IntervalFields, TypeMod};
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
                TypeMod::of_interval(IntervalFields::ALL, Some(2)),
                "interval(2)",
            ),
            (LogicalType::Numeric, TypeMod::NONE, "numeric"),
        ];
        for (ty, modifier, name) in cases {
            assert_eq!(modifier.name_of(ty), name);
        }
    }
}
