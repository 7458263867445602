//! The SQL types of columns and expressions, with their PostgreSQL names and OIDs.

/// A SQL type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LogicalType {
    /// `boolean`
    Boolean,
    /// `integer`, 32 bits
    Int4,
    /// `bigint`, 64 bits
    Int8,
    /// `double precision`
    Float8,
    /// `text`
    Text,
    /// `date`: days since 1970-01-01, proleptic Gregorian
    Date,
    /// `timestamp without time zone`: microseconds since 1970-01-01 00:00
    Timestamp,
    /// `timestamp with time zone`: microseconds since 1970-01-01 00:00 UTC
    TimestampTz,
}

/// How the values of a column lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicalType {
    /// A bit a value.
    Bits,
    /// `i32`
    Int32,
    /// `i64`
    Int64,
    /// `f64`
    Float64,
    /// UTF-8 bytes with offsets.
    Bytes,
}

impl LogicalType {
    /// Every type, in the order of [`LogicalType::code`].
    pub const ALL: [LogicalType; 8] = [
        LogicalType::Boolean,
        LogicalType::Int4,
        LogicalType::Int8,
        LogicalType::Float8,
        LogicalType::Text,
        LogicalType::Date,
        LogicalType::Timestamp,
        LogicalType::TimestampTz,
    ];

    /// The layout of this type's values in memory.
    pub fn physical(self) -> PhysicalType {
        match self {
            LogicalType::Boolean => PhysicalType::Bits,
            LogicalType::Int4 | LogicalType::Date => PhysicalType::Int32,
            LogicalType::Int8 | LogicalType::Timestamp | LogicalType::TimestampTz => {
                PhysicalType::Int64
            }
            LogicalType::Float8 => PhysicalType::Float64,
            LogicalType::Text => PhysicalType::Bytes,
        }
    }

    /// The name that PostgreSQL's `format_type` gives.
    pub fn name(self) -> &'static str {
        match self {
            LogicalType::Boolean => "boolean",
            LogicalType::Int4 => "integer",
            LogicalType::Int8 => "bigint",
            LogicalType::Float8 => "double precision",
            LogicalType::Text => "text",
            LogicalType::Date => "date",
            LogicalType::Timestamp => "timestamp without time zone",
            LogicalType::TimestampTz => "timestamp with time zone",
        }
    }

    /// PostgreSQL's OID of the type.
    pub fn oid(self) -> u32 {
        match self {
            LogicalType::Boolean => 16,
            LogicalType::Int4 => 23,
            LogicalType::Int8 => 20,
            LogicalType::Float8 => 701,
            LogicalType::Text => 25,
            LogicalType::Date => 1082,
            LogicalType::Timestamp => 1114,
            LogicalType::TimestampTz => 1184,
        }
    }

    /// The byte that names the type in stored formats; never changed, never reused.
    pub fn code(self) -> u8 {
        match self {
            LogicalType::Boolean => 1,
            LogicalType::Int4 => 2,
            LogicalType::Int8 => 3,
            LogicalType::Float8 => 4,
            LogicalType::Text => 5,
            LogicalType::Date => 6,
            LogicalType::Timestamp => 7,
            LogicalType::TimestampTz => 8,
        }
    }

    /// The type that [`LogicalType::code`] wrote, or `None` for a byte that names no type.
    pub fn from_code(code: u8) -> Option<LogicalType> {
        LogicalType::ALL.into_iter().find(|ty| ty.code() == code)
    }

    /// Whether arithmetic is defined on the type.
    pub fn is_numeric(self) -> bool {
        matches!(
            self,
            LogicalType::Int4 | LogicalType::Int8 | LogicalType::Float8
        )
    }
}

impl core::fmt::Display for LogicalType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}
