//! Names of types.

use crate::name::ObjectName;
use crate::span::Span;

/// A type as it is written.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// The type, or that of the elements of an array.
    pub base: BaseType,
    /// The dimensions of an array, with their lengths where they are written; none of another type.
    pub dimensions: Vec<Option<u64>>,
    /// Where it stands.
    pub span: Span,
}

/// A type that is no array.
#[derive(Clone, Debug)]
pub enum BaseType {
    /// `BOOLEAN`
    Boolean,
    /// `SMALLINT`
    SmallInt,
    /// `INT`, `INTEGER`
    Integer,
    /// `BIGINT`
    BigInt,
    /// `REAL`
    Real,
    /// `DOUBLE PRECISION`
    DoublePrecision,
    /// `FLOAT(bits)`
    Float(Option<u64>),
    /// `NUMERIC(precision, scale)`, `DECIMAL`, `DEC`
    Numeric {
        /// Digits in all.
        precision: Option<u64>,
        /// Digits behind the point.
        scale: Option<i64>,
    },
    /// `BIT`, `BIT VARYING`
    Bit,
    /// `VARCHAR(n)`, `CHARACTER VARYING(n)`
    Varchar(Option<u64>),
    /// `CHAR(n)`, `CHARACTER(n)`
    Char(Option<u64>),
    /// `TIME(digits) [WITH TIME ZONE]`
    Time {
        /// Digits of seconds.
        precision: Option<u64>,
        /// `WITH TIME ZONE`
        with_zone: bool,
    },
    /// `TIMESTAMP(digits) [WITH TIME ZONE]`
    Timestamp {
        /// Digits of seconds.
        precision: Option<u64>,
        /// `WITH TIME ZONE`
        with_zone: bool,
    },
    /// `INTERVAL fields (digits)`
    Interval {
        /// The fields that it keeps.
        fields: Option<IntervalFields>,
        /// Digits of seconds.
        precision: Option<u64>,
    },
    /// Any other name, with its modifiers as text.
    Named {
        /// The name.
        name: ObjectName,
        /// Numbers, words and strings in parentheses.
        modifiers: Vec<String>,
    },
}

/// The fields that an interval type keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalFields {
    /// `YEAR`
    Year,
    /// `MONTH`
    Month,
    /// `DAY`
    Day,
    /// `HOUR`
    Hour,
    /// `MINUTE`
    Minute,
    /// `SECOND`
    Second,
    /// `YEAR TO MONTH`
    YearToMonth,
    /// `DAY TO HOUR`
    DayToHour,
    /// `DAY TO MINUTE`
    DayToMinute,
    /// `DAY TO SECOND`
    DayToSecond,
    /// `HOUR TO MINUTE`
    HourToMinute,
    /// `HOUR TO SECOND`
    HourToSecond,
    /// `MINUTE TO SECOND`
    MinuteToSecond,
}
