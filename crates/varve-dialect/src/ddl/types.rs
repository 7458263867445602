//! Types of columns: what the source declares, and what it is here.

use sqlparser::ast::{BinaryLength, CharacterLength, DataType, EnumMember, ExactNumberInfo};
use varve_types::{SqlText, sql};

use crate::Dialect;
use crate::expression::number;
use crate::names;
use crate::script::{Fault, Result};
use crate::seen::Seen;

/// A type of ours.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    /// SQLite: the column takes anything.
    Any,
    Bool,
    Int2,
    Int4,
    Int8,
    /// MySQL's: as Int8 where all values fit.
    UnsignedInt8,
    Numeric(Option<(u64, i64)>),
    Float4,
    Float8,
    Text,
    Varchar(u64),
    Bytea,
    Date,
    Time,
    Timestamp(Option<u64>),
    TimestampTz(Option<u64>),
    Json,
    Jsonb,
    Uuid,
    /// The texts that it takes.
    Enum(Vec<String>),
}

impl Type {
    /// The type that a declaration asks for.
    pub(crate) fn declared(ty: &DataType, dialect: Dialect) -> Result<Type> {
        match dialect {
            Dialect::Sqlite => Ok(of_sqlite(ty)),
            Dialect::MySql => of_mysql(ty),
        }
    }

    /// The type that takes all values which were seen.
    pub(crate) fn settled(&self, seen: &Seen, dialect: Dialect) -> Type {
        match self {
            Type::Bool if dialect == Dialect::MySql && seen.beyond_bits => Type::Int2,
            Type::Any if seen.is_empty() => Type::Text,
            Type::UnsignedInt8 if seen.beyond_int8 => Type::Numeric(Some((20, 0))),
            Type::UnsignedInt8 => Type::Int8,
            // A column of MySQL's holds what its type says.
            wish if dialect == Dialect::MySql => wish.clone(),
            Type::Timestamp(precision)
                if seen.only_texts() && !seen.not_moment && seen.zoned && !seen.unzoned =>
            {
                Type::TimestampTz(*precision)
            }
            Type::Date if seen.only_texts() && seen.not_date && !seen.not_moment => {
                Type::Timestamp(None)
            }
            wish if wish.takes(seen) => wish.clone(),
            _ if seen.blobs => Type::Bytea,
            _ if seen.texts => Type::Text,
            _ if seen.reals => Type::Float8,
            _ => Type::Int8,
        }
    }

    fn takes(&self, seen: &Seen) -> bool {
        match self {
            Type::Any => false,
            Type::Bool => seen.only_numbers() && !seen.reals && !seen.beyond_bits,
            Type::Int2 | Type::Int4 | Type::Int8 => {
                seen.only_numbers() && !seen.reals && !seen.beyond_int8
            }
            Type::Numeric(Some((precision, scale))) => {
                let mut numbers = seen.numbers.iter();
                seen.only_numbers() && numbers.all(|n| number::fits(n, *precision, *scale))
            }
            Type::Numeric(None) | Type::Float4 | Type::Float8 => seen.only_numbers(),
            Type::Text => !seen.blobs,
            Type::Bytea => !seen.texts || seen.blobs,
            Type::Date => seen.only_texts() && !seen.not_date,
            Type::Time => seen.only_texts() && !seen.not_time,
            Type::Timestamp(_) | Type::TimestampTz(_) => {
                seen.only_texts() && !seen.not_moment && !seen.zoned
            }
            Type::Json | Type::Jsonb => seen.only_texts() && !seen.not_json,
            Type::Uuid => seen.only_texts() && !seen.not_uuid,
            Type::UnsignedInt8 | Type::Varchar(_) | Type::Enum(_) => true,
        }
    }

    /// Its name; that of an enumeration is made for each column.
    pub(crate) fn sql(&self) -> SqlText {
        let with = |name: &'static str, precision: &Option<u64>| match precision {
            Some(precision) => sql![name, "(", *precision, ")"],
            None => sql![name],
        };
        match self {
            Type::Any | Type::Text | Type::Enum(_) => sql!["text"],
            Type::Bool => sql!["boolean"],
            Type::Int2 => sql!["smallint"],
            Type::Int4 => sql!["integer"],
            Type::Int8 | Type::UnsignedInt8 => sql!["bigint"],
            Type::Numeric(None) => sql!["numeric"],
            Type::Numeric(Some((precision, scale))) => {
                sql!["numeric(", *precision, ", ", *scale, ")"]
            }
            Type::Float4 => sql!["real"],
            Type::Float8 => sql!["double precision"],
            Type::Varchar(length) => sql!["varchar(", *length, ")"],
            Type::Bytea => sql!["bytea"],
            Type::Date => sql!["date"],
            Type::Time => sql!["time"],
            Type::Timestamp(precision) => with("timestamp", precision),
            Type::TimestampTz(precision) => with("timestamptz", precision),
            Type::Json => sql!["json"],
            Type::Jsonb => sql!["jsonb"],
            Type::Uuid => sql!["uuid"],
        }
    }

    /// Whether an identity can count in it.
    pub(crate) fn is_integer(&self) -> bool {
        matches!(self, Type::Int2 | Type::Int4 | Type::Int8)
    }
}

fn numeric(info: &ExactNumberInfo) -> Option<(u64, i64)> {
    match info {
        ExactNumberInfo::None => None,
        ExactNumberInfo::Precision(precision) => Some((*precision, 0)),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => Some((*precision, *scale)),
    }
}

/// SQLite's rules of affinity, and types that it takes for numbers but every library means.
fn of_sqlite(ty: &DataType) -> Type {
    match ty {
        DataType::Unspecified => Type::Any,
        DataType::Bool | DataType::Boolean => Type::Bool,
        DataType::Numeric(info) | DataType::Decimal(info) | DataType::Dec(info) => {
            Type::Numeric(numeric(info))
        }
        DataType::Real
        | DataType::Float(_)
        | DataType::Float4
        | DataType::Float8
        | DataType::Float32
        | DataType::Float64
        | DataType::Double(_)
        | DataType::DoublePrecision => Type::Float8,
        DataType::Blob(_) | DataType::Binary(_) | DataType::Varbinary(_) | DataType::Bytea => {
            Type::Bytea
        }
        DataType::Date => Type::Date,
        DataType::Time(..) => Type::Time,
        DataType::Datetime(_) | DataType::Timestamp(..) => Type::Timestamp(None),
        DataType::JSON => Type::Json,
        DataType::JSONB => Type::Jsonb,
        DataType::Uuid => Type::Uuid,
        DataType::Custom(name, _) => {
            let words = name.0.iter().filter_map(|part| part.as_ident());
            let name: String = words.map(|word| word.value.to_ascii_uppercase()).collect();
            by_affinity(&name)
        }
        ty if is_integer(ty) => Type::Int8,
        _ => Type::Text,
    }
}

fn by_affinity(name: &str) -> Type {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    match name {
        _ if has(&["DATETIME", "TIMESTAMP"]) => Type::Timestamp(None),
        _ if has(&["INT"]) => Type::Int8,
        _ if has(&["CHAR", "CLOB", "TEXT", "STRING"]) => Type::Text,
        _ if has(&["BLOB"]) => Type::Bytea,
        _ if has(&["REAL", "FLOA", "DOUB"]) => Type::Float8,
        _ if has(&["UUID", "GUID"]) => Type::Uuid,
        _ if has(&["BOOL"]) => Type::Bool,
        "ANY" => Type::Any,
        _ => Type::Numeric(None),
    }
}

fn is_integer(ty: &DataType) -> bool {
    let (is_int2, is_int4, is_int8) = integer_width(ty);
    is_int2 || is_int4 || is_int8
}

/// Whether it is an integer that 16, 32 or 64 bits hold.
fn integer_width(ty: &DataType) -> (bool, bool, bool) {
    let is_int2 = matches!(
        ty,
        DataType::TinyInt(_)
            | DataType::TinyIntUnsigned(_)
            | DataType::SmallInt(_)
            | DataType::Int2(_)
    );
    let is_int4 = matches!(
        ty,
        DataType::SmallIntUnsigned(_)
            | DataType::Int2Unsigned(_)
            | DataType::MediumInt(_)
            | DataType::MediumIntUnsigned(_)
            | DataType::Int(_)
            | DataType::Integer(_)
            | DataType::Int4(_)
    );
    let is_int8 = matches!(
        ty,
        DataType::IntUnsigned(_)
            | DataType::IntegerUnsigned(_)
            | DataType::Int4Unsigned(_)
            | DataType::BigInt(_)
            | DataType::Int8(_)
            | DataType::Signed
            | DataType::SignedInteger
    );
    (is_int2, is_int4, is_int8)
}

fn of_mysql(ty: &DataType) -> Result<Type> {
    Ok(match ty {
        DataType::TinyInt(Some(1)) | DataType::Bool | DataType::Boolean => Type::Bool,
        DataType::BigIntUnsigned(_)
        | DataType::Int8Unsigned(_)
        | DataType::Unsigned
        | DataType::UnsignedInteger => Type::UnsignedInt8,
        DataType::Numeric(info)
        | DataType::Decimal(info)
        | DataType::Dec(info)
        | DataType::DecimalUnsigned(info)
        | DataType::DecUnsigned(info) => Type::Numeric(numeric(info).or(Some((10, 0)))),
        DataType::Float(_) | DataType::FloatUnsigned(_) | DataType::Float4 => Type::Float4,
        DataType::Double(_)
        | DataType::DoubleUnsigned(_)
        | DataType::DoublePrecision
        | DataType::DoublePrecisionUnsigned
        | DataType::Real
        | DataType::RealUnsigned
        | DataType::Float8 => Type::Float8,
        DataType::Blob(_)
        | DataType::TinyBlob
        | DataType::MediumBlob
        | DataType::LongBlob
        | DataType::Binary(_)
        | DataType::Varbinary(None | Some(BinaryLength::IntegerLength { .. })) => Type::Bytea,
        DataType::Date => Type::Date,
        DataType::Time(..) => Type::Time,
        DataType::Datetime(precision) => Type::Timestamp(precision.or(Some(0))),
        DataType::Timestamp(precision, _) => Type::TimestampTz(precision.or(Some(0))),
        DataType::JSON => Type::Jsonb,
        DataType::Uuid => Type::Uuid,
        DataType::Bit(length) => match length.unwrap_or(1) {
            1 => Type::Bool,
            2..=63 => Type::Int8,
            _ => Type::Numeric(Some((20, 0))),
        },
        DataType::Enum(members, _) => Type::Enum(members.iter().map(member).collect()),
        DataType::Set(_)
        | DataType::Text
        | DataType::TinyText
        | DataType::MediumText
        | DataType::LongText => Type::Text,
        DataType::Char(length)
        | DataType::Character(length)
        | DataType::Varchar(length)
        | DataType::Nvarchar(length)
        | DataType::CharVarying(length)
        | DataType::CharacterVarying(length) => match length {
            Some(CharacterLength::IntegerLength { length, .. }) => Type::Varchar(*length),
            _ => Type::Varchar(1),
        },
        DataType::Custom(name, _) => of_mysql_name(&names::last(name)?.value)?,
        ty => match integer_width(ty) {
            (true, ..) => Type::Int2,
            (_, true, _) => Type::Int4,
            (.., true) => Type::Int8,
            _ => return Err(Fault::new(0, "a type that has no counterpart")),
        },
    })
}

fn of_mysql_name(name: &str) -> Result<Type> {
    match name.to_ascii_lowercase().as_str() {
        "year" => Ok(Type::Int2),
        "serial" => Ok(Type::UnsignedInt8),
        "fixed" => Ok(Type::Numeric(None)),
        "inet4" | "inet6" => Ok(Type::Text),
        name => Err(Fault::new(0, format!("the type {name} has no counterpart"))),
    }
}

fn member(member: &EnumMember) -> String {
    match member {
        EnumMember::Name(name) | EnumMember::NamedValue(name, _) => name.clone(),
    }
}
