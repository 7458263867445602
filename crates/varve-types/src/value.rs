//! One SQL value.

use core::cmp::Ordering;
use std::sync::Arc;

use crate::LogicalType;

/// One SQL value, for constants, parameters, keys and statistics; tables hold [`crate::Column`]s.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL, of any type.
    Null,
    /// `boolean`
    Boolean(bool),
    /// `integer`
    Int4(i32),
    /// `bigint`
    Int8(i64),
    /// `double precision`
    Float8(f64),
    /// `text`
    Text(Arc<str>),
    /// `date`: days since 1970-01-01
    Date(i32),
    /// `timestamp`: microseconds since 1970-01-01 00:00
    Timestamp(i64),
    /// `timestamptz`: microseconds since 1970-01-01 00:00 UTC
    TimestampTz(i64),
}

impl Value {
    /// A text value.
    pub fn text(text: impl Into<Arc<str>>) -> Value {
        Value::Text(text.into())
    }

    /// The type of the value; `None` for NULL.
    pub fn logical_type(&self) -> Option<LogicalType> {
        Some(match self {
            Value::Null => return None,
            Value::Boolean(_) => LogicalType::Boolean,
            Value::Int4(_) => LogicalType::Int4,
            Value::Int8(_) => LogicalType::Int8,
            Value::Float8(_) => LogicalType::Float8,
            Value::Text(_) => LogicalType::Text,
            Value::Date(_) => LogicalType::Date,
            Value::Timestamp(_) => LogicalType::Timestamp,
            Value::TimestampTz(_) => LogicalType::TimestampTz,
        })
    }

    /// Whether the value is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The order of two non-null values of one type; `None` for NULLs and for values of different
    /// types.
    ///
    /// As in PostgreSQL, NaN equals NaN and is above every other number, -0 equals 0, and text is
    /// ordered by its bytes (collation `C`).
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        Some(match (self, other) {
            (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
            (Value::Int4(a), Value::Int4(b)) | (Value::Date(a), Value::Date(b)) => a.cmp(b),
            (Value::Int8(a), Value::Int8(b))
            | (Value::Timestamp(a), Value::Timestamp(b))
            | (Value::TimestampTz(a), Value::TimestampTz(b)) => a.cmp(b),
            (Value::Float8(a), Value::Float8(b)) => compare_f64(*a, *b),
            (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            _ => return None,
        })
    }
}

/// PostgreSQL's order of doubles: NaN is equal to itself and above all others, -0 equals 0.
pub(crate) fn compare_f64(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
    }
}
