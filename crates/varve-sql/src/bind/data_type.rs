//! Names of types.

use sqlparser::ast::{DataType, ExactNumberInfo, TimezoneInfo};
use varve_types::{Error, LogicalType, Result};

use crate::bind::names::simple_name;
use crate::bind::{Binder, located};

/// The type that a name means, if it is one that is stored.
pub(crate) fn logical_type(data_type: &DataType) -> Option<LogicalType> {
    Some(match data_type {
        DataType::Boolean | DataType::Bool => LogicalType::Boolean,
        DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None) => LogicalType::Int4,
        DataType::BigInt(None) | DataType::Int8(None) => LogicalType::Int8,
        DataType::DoublePrecision
        | DataType::Float8
        | DataType::Float(ExactNumberInfo::None | ExactNumberInfo::Precision(25..=53)) => {
            LogicalType::Float8
        }
        DataType::Text => LogicalType::Text,
        DataType::Date => LogicalType::Date,
        DataType::Timestamp(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
            LogicalType::Timestamp
        }
        DataType::Timestamp(None, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => {
            LogicalType::TimestampTz
        }
        DataType::Custom(name, modifiers) if modifiers.is_empty() => {
            match simple_name(name)?.as_str() {
                "bool" => LogicalType::Boolean,
                "int4" => LogicalType::Int4,
                "int8" => LogicalType::Int8,
                "float8" => LogicalType::Float8,
                "text" => LogicalType::Text,
                "date" => LogicalType::Date,
                "timestamp" => LogicalType::Timestamp,
                "timestamptz" => LogicalType::TimestampTz,
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// The name of a type in `pg_type`, which PostgreSQL uses for columns that are casts.
pub(crate) fn internal_name(ty: LogicalType) -> &'static str {
    match ty {
        LogicalType::Boolean => "bool",
        LogicalType::Int4 => "int4",
        LogicalType::Int8 => "int8",
        LogicalType::Float8 => "float8",
        LogicalType::Text => "text",
        LogicalType::Date => "date",
        LogicalType::Timestamp => "timestamp",
        LogicalType::TimestampTz => "timestamptz",
        other => other.name(),
    }
}

impl Binder<'_> {
    /// The type that a name means; `0A000` with the nearest type that there is.
    pub(crate) fn data_type(&self, data_type: &DataType, position: u32) -> Result<LogicalType> {
        logical_type(data_type).ok_or_else(|| {
            let (name, instead) = nearest(data_type);
            let error = located(Error::unsupported(format!("type {name}")), position);
            match instead {
                Some(instead) => error.with_hint(format!("Use {instead}.")),
                None => error,
            }
        })
    }
}

/// A type's name for an error, and the supported type that comes nearest to it.
fn nearest(data_type: &DataType) -> (String, Option<&'static str>) {
    let (name, instead) = match data_type {
        DataType::Varchar(_) | DataType::CharacterVarying(_) | DataType::CharVarying(_) => {
            ("character varying", Some("TEXT"))
        }
        DataType::Char(_) | DataType::Character(_) => ("character", Some("TEXT")),
        DataType::Nvarchar(_) | DataType::String(_) | DataType::Clob(_) => ("string", Some("TEXT")),
        DataType::Uuid => ("uuid", Some("TEXT")),
        DataType::JSON => ("json", Some("TEXT")),
        DataType::JSONB => ("jsonb", Some("TEXT")),
        DataType::SmallInt(_) | DataType::Int2(_) => ("smallint", Some("INTEGER")),
        DataType::TinyInt(_) | DataType::MediumInt(_) => ("a small integer", Some("INTEGER")),
        DataType::Int(_) | DataType::Integer(_) | DataType::Int4(_) => {
            ("integer with a width", Some("INTEGER"))
        }
        DataType::BigInt(_) | DataType::Int8(_) => ("bigint with a width", Some("BIGINT")),
        DataType::Numeric(_) | DataType::Decimal(_) | DataType::Dec(_) => {
            ("numeric", Some("DOUBLE PRECISION or BIGINT"))
        }
        DataType::Real | DataType::Float4 | DataType::Float(_) => {
            ("real", Some("DOUBLE PRECISION"))
        }
        DataType::Double(_) => ("double", Some("DOUBLE PRECISION")),
        DataType::Timestamp(Some(_), _) => (
            "timestamp with a precision",
            Some("TIMESTAMP or TIMESTAMPTZ"),
        ),
        DataType::Datetime(_) => ("datetime", Some("TIMESTAMP")),
        DataType::Time(..) => ("time", Some("TEXT")),
        DataType::Interval { .. } => ("interval", None),
        DataType::Bytea | DataType::Blob(_) => ("bytea", None),
        DataType::Array(_) => ("array", None),
        DataType::Custom(name, _) => {
            let name = simple_name(name).unwrap_or_else(|| "user-defined".to_owned());
            let instead = match name.as_str() {
                "serial" | "serial4" | "smallserial" => Some("INTEGER"),
                "bigserial" | "serial8" => Some("BIGINT"),
                "name" | "citext" | "bpchar" => Some("TEXT"),
                _ => None,
            };
            return (name, instead);
        }
        _ => ("of this name", None),
    };
    (name.to_owned(), instead)
}
