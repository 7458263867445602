//! One SQL value.

use core::cmp::Ordering;
use std::sync::Arc;

use crate::details::{binary_order, put_details};
use crate::meter::fitting;
use crate::{
    ArrayValue, Decimal, ElementType, EnumId, Interval, Json, LogicalType, PhysicalType, RowTypeId,
    RowValue,
};

/// One SQL value, for constants, parameters, keys and statistics; tables hold [`crate::Column`]s.
#[derive(Clone, Debug)]
pub enum Value {
    /// NULL, of any type.
    Null,
    /// `boolean`
    Boolean(bool),
    /// `smallint`
    Int2(i16),
    /// `integer`
    Int4(i32),
    /// `bigint`
    Int8(i64),
    /// `real`
    Float4(f32),
    /// `double precision`
    Float8(f64),
    /// `numeric`
    Numeric(Decimal),
    /// `text`; also `character varying` and `json`
    Text(Arc<str>),
    /// `character`, with its padding, which comparison ignores
    Bpchar(Arc<str>),
    /// `bytea`
    Bytea(Arc<[u8]>),
    /// `date`: days since 1970-01-01
    Date(i32),
    /// `time`: microseconds since midnight
    Time(i64),
    /// `timestamp`: microseconds since 1970-01-01 00:00
    Timestamp(i64),
    /// `timestamptz`: microseconds since 1970-01-01 00:00 UTC
    TimestampTz(i64),
    /// `interval`
    Interval(Interval),
    /// `uuid`
    Uuid([u8; 16]),
    /// `jsonb` in the form that [`Json::encode`] gives
    Jsonb(Arc<[u8]>),
    /// `oid`
    Oid(u32),
    /// A type of OIDs that are written as names, and the OID
    Reg(LogicalType, u32),
    /// An enumeration: the place of the label
    Enum(EnumId, i32),
    /// An array in the form that [`ArrayValue::encode`] gives
    Array(ElementType, Arc<[u8]>),
    /// A row of this type in the form that [`RowValue::encode`] gives
    Row(RowTypeId, Arc<[u8]>),
}

impl Value {
    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Value::Text(text) | Value::Bpchar(text) => text.len(),
            Value::Bytea(bytes)
            | Value::Jsonb(bytes)
            | Value::Array(_, bytes)
            | Value::Row(_, bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// A number of things in memory, as a bigint.
    pub fn count(things: usize) -> Value {
        Value::Int8(fitting(things, "a count"))
    }

    /// A text value.
    pub fn text(text: impl Into<Arc<str>>) -> Value {
        Value::Text(text.into())
    }

    /// A jsonb value.
    pub fn json(json: &Json) -> Value {
        Value::Jsonb(json.encode().into())
    }

    /// An array value.
    pub fn array(array: &ArrayValue) -> Value {
        Value::Array(array.element, array.encode().into())
    }

    /// A row of a type.
    pub fn row(id: RowTypeId, row: &RowValue) -> Value {
        Value::Row(id, row.encode().into())
    }

    /// The type of the value; `None` for NULL. That of [`Value::Text`] is text, whichever string
    /// type it is used for: see [`Value::is_of`].
    pub fn logical_type(&self) -> Option<LogicalType> {
        Some(match self {
            Value::Null => return None,
            Value::Boolean(_) => LogicalType::Boolean,
            Value::Int2(_) => LogicalType::Int2,
            Value::Int4(_) => LogicalType::Int4,
            Value::Int8(_) => LogicalType::Int8,
            Value::Float4(_) => LogicalType::Float4,
            Value::Float8(_) => LogicalType::Float8,
            Value::Numeric(_) => LogicalType::Numeric,
            Value::Text(_) => LogicalType::Text,
            Value::Bpchar(_) => LogicalType::Bpchar,
            Value::Bytea(_) => LogicalType::Bytea,
            Value::Date(_) => LogicalType::Date,
            Value::Time(_) => LogicalType::Time,
            Value::Timestamp(_) => LogicalType::Timestamp,
            Value::TimestampTz(_) => LogicalType::TimestampTz,
            Value::Interval(_) => LogicalType::Interval,
            Value::Uuid(_) => LogicalType::Uuid,
            Value::Jsonb(_) => LogicalType::Jsonb,
            Value::Oid(_) => LogicalType::Oid,
            Value::Reg(ty, _) => *ty,
            Value::Enum(id, _) => LogicalType::Enum(*id),
            Value::Array(element, _) => LogicalType::Array(*element),
            Value::Row(id, _) => LogicalType::Row(*id),
        })
    }

    /// Whether the value may stand in a column of this type: it is NULL or of the type, or it is
    /// text and the type is varchar, name or json.
    pub fn is_of(&self, ty: LogicalType) -> bool {
        match self {
            Value::Null => true,
            Value::Text(_) => {
                matches!(
                    ty,
                    LogicalType::Text
                        | LogicalType::Varchar
                        | LogicalType::Name
                        | LogicalType::Json
                        | LogicalType::Jsonpath
                )
            }
            other => other.logical_type() == Some(ty),
        }
    }

    /// Whether the value is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The integer by which a type of the layouts [`PhysicalType::Int32`] and
    /// [`PhysicalType::Int64`] is held.
    pub fn integer(&self) -> Option<i64> {
        Some(match self {
            Value::Int2(number) => i64::from(*number),
            Value::Int4(number) | Value::Date(number) | Value::Enum(_, number) => {
                i64::from(*number)
            }
            Value::Int8(number)
            | Value::Time(number)
            | Value::Timestamp(number)
            | Value::TimestampTz(number) => *number,
            Value::Oid(number) | Value::Reg(_, number) => i64::from(*number),
            _ => return None,
        })
    }

    /// The value of a type that is held as an integer; `None` where it is no such type or the
    /// integer is out of its range.
    pub fn of_integer(ty: LogicalType, integer: i64) -> Option<Value> {
        Some(match ty {
            LogicalType::Int2 => Value::Int2(i16::try_from(integer).ok()?),
            LogicalType::Int4 => Value::Int4(i32::try_from(integer).ok()?),
            LogicalType::Int8 => Value::Int8(integer),
            LogicalType::Date => Value::Date(i32::try_from(integer).ok()?),
            LogicalType::Time => Value::Time(integer),
            LogicalType::Timestamp => Value::Timestamp(integer),
            LogicalType::TimestampTz => Value::TimestampTz(integer),
            LogicalType::Oid => Value::Oid(u32::try_from(integer).ok()?),
            LogicalType::Enum(id) => Value::Enum(id, i32::try_from(integer).ok()?),
            ty if ty.is_reg() => Value::Reg(ty, u32::try_from(integer).ok()?),
            _ => return None,
        })
    }

    /// The double by which `real` and `double precision` are held.
    pub fn double(&self) -> Option<f64> {
        match self {
            Value::Float4(number) => Some(f64::from(*number)),
            Value::Float8(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a type that is held as a double; that of `real` is rounded to it.
    pub fn of_double(ty: LogicalType, number: f64) -> Option<Value> {
        match ty {
            LogicalType::Float4 => Some(Value::Float4(nearest_f32(number))),
            LogicalType::Float8 => Some(Value::Float8(number)),
            _ => None,
        }
    }

    /// The string by which text, varchar, character and json are held.
    pub fn str(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Bpchar(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a type that is held as a string.
    pub fn of_str(ty: LogicalType, text: &str) -> Option<Value> {
        match ty {
            LogicalType::Bpchar => Some(Value::Bpchar(text.into())),
            ty if ty.physical() == PhysicalType::Bytes => Some(Value::Text(text.into())),
            _ => None,
        }
    }

    /// Calls `take` with the bytes by which a type of the layout [`PhysicalType::Binary`] is held;
    /// `None` for values of others.
    pub fn with_binary<T>(&self, take: impl FnOnce(&[u8]) -> T) -> Option<T> {
        Some(match self {
            Value::Bytea(bytes)
            | Value::Jsonb(bytes)
            | Value::Array(_, bytes)
            | Value::Row(_, bytes) => take(bytes),
            Value::Uuid(bytes) => take(bytes),
            Value::Interval(interval) => take(&interval.to_bytes()),
            _ => return None,
        })
    }

    /// The value of a type that is held as bytes; `None` where it is no such type or cannot have
    /// that length. What is in jsonb, arrays and rows is not looked at.
    pub fn of_binary(ty: LogicalType, bytes: &[u8]) -> Option<Value> {
        Some(match ty {
            LogicalType::Bytea => Value::Bytea(bytes.into()),
            LogicalType::Uuid => Value::Uuid(bytes.try_into().ok()?),
            LogicalType::Interval => Value::Interval(Interval::from_bytes(bytes)?),
            LogicalType::Jsonb => Value::Jsonb(bytes.into()),
            LogicalType::Array(element) => Value::Array(element, bytes.into()),
            LogicalType::Row(id) => Value::Row(id, bytes.into()),
            _ => return None,
        })
    }

    /// The order of two non-null values of one type; `None` for NULLs and for values of different
    /// types.
    ///
    /// As in PostgreSQL, NaN equals NaN and is above every other number, -0 equals 0, and text is
    /// ordered by its bytes (collation `C`).
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        Some(match (self, other) {
            (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
            (Value::Float4(a), Value::Float4(b)) => compare_f64(f64::from(*a), f64::from(*b)),
            (Value::Float8(a), Value::Float8(b)) => compare_f64(*a, *b),
            (Value::Numeric(a), Value::Numeric(b)) => a.compare(*b),
            (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Value::Bpchar(a), Value::Bpchar(b)) => unpadded(a).cmp(unpadded(b)),
            (Value::Bytea(a), Value::Bytea(b)) => a.cmp(b),
            (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
            (Value::Interval(a), Value::Interval(b)) => a.compare(*b),
            (Value::Jsonb(a), Value::Jsonb(b)) => {
                let ty = LogicalType::Jsonb;
                binary_order(ty, a).cmp(binary_order(ty, b))
            }
            (Value::Array(of_a, a), Value::Array(of_b, b)) if of_a == of_b => {
                let ty = LogicalType::Array(*of_a);
                binary_order(ty, a).cmp(binary_order(ty, b))
            }
            (Value::Row(of_a, a), Value::Row(_, b)) => {
                let ty = LogicalType::Row(*of_a);
                binary_order(ty, a).cmp(binary_order(ty, b))
            }
            _ if self.logical_type() == other.logical_type() => {
                self.integer()?.cmp(&other.integer()?)
            }
            _ => return None,
        })
    }
}

/// Values are equal that look the same: -0 is not 0, as 1.0 is not 1.00, and NaN is NaN.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        let details = |value: &Value| {
            let mut details = Vec::new();
            put_details(value, &mut details);
            details
        };
        self.logical_type() == other.logical_type()
            && (self.is_null() || self.compare(other) == Some(Ordering::Equal))
            && details(self) == details(other)
    }
}

/// A character string without the padding that comparison ignores.
pub fn unpadded(text: &str) -> &str {
    text.trim_end_matches(' ')
}

/// The nearest `real`, infinite where it is out of range.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding is what is asked for"
)]
pub fn nearest_f32(number: f64) -> f32 {
    number as f32
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
