//! Names of types.

use sqlparser::ast::{
    ArrayElemTypeDef, CharacterLength, DataType, ExactNumberInfo, ObjectName, ObjectNamePart,
    TimezoneInfo,
};
use varve_parser::{Parser, tokenize};
use varve_types::{Error, LogicalType, Result, SqlState, TypeMod};

use crate::bind::interval::interval_modifier;
use crate::bind::names::{fold_name, simple_name, undefined_schema};
use crate::bind::{Binder, located};
use crate::schema::{Catalog, RelationName};

/// A type and what it is bounded by.
type Bounded = (LogicalType, TypeMod);

/// The longest varchar and character.
const LENGTH_MAX: u64 = 10_485_760;
const NUMERIC_PRECISION_MAX: u64 = 1000;

/// The type that a name means, if it is one that is stored.
pub(crate) fn logical_type(data_type: &DataType) -> Option<LogicalType> {
    bounded_type(data_type).ok().flatten().map(|(ty, _)| ty)
}

/// The type that a name means with its modifier; `None` where there is no such type.
fn bounded_type(data_type: &DataType) -> Result<Option<Bounded>> {
    use LogicalType as T;
    let plain = |ty| Ok(Some((ty, TypeMod::NONE)));
    match data_type {
        DataType::Boolean | DataType::Bool => plain(T::Boolean),
        DataType::SmallInt(None) | DataType::Int2(None) => plain(T::Int2),
        DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None) => plain(T::Int4),
        DataType::BigInt(None) | DataType::Int8(None) => plain(T::Int8),
        DataType::Real | DataType::Float4 => plain(T::Float4),
        DataType::DoublePrecision | DataType::Float8 => plain(T::Float8),
        DataType::Float(info) => float(info),
        DataType::Numeric(info) | DataType::Decimal(info) | DataType::Dec(info) => numeric(info),
        DataType::Text => plain(T::Text),
        DataType::Varchar(length)
        | DataType::CharVarying(length)
        | DataType::CharacterVarying(length) => string(T::Varchar, "varchar", length.as_ref()),
        DataType::Char(length) | DataType::Character(length) => {
            let one = CharacterLength::IntegerLength {
                length: 1,
                unit: None,
            };
            string(T::Bpchar, "char", Some(length.as_ref().unwrap_or(&one)))
        }
        DataType::Bytea => plain(T::Bytea),
        DataType::Date => plain(T::Date),
        DataType::Time(digits, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
            seconds(T::Time, *digits)
        }
        DataType::Timestamp(digits, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
            seconds(T::Timestamp, *digits)
        }
        DataType::Timestamp(digits, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => {
            seconds(T::TimestampTz, *digits)
        }
        DataType::Interval { fields, precision } => {
            let modifier = interval_modifier(fields.as_ref(), *precision);
            Ok(Some((T::Interval, modifier)))
        }
        DataType::Uuid => plain(T::Uuid),
        DataType::JSON => plain(T::Json),
        DataType::JSONB => plain(T::Jsonb),
        DataType::Regclass => plain(T::Regclass),
        DataType::Array(
            ArrayElemTypeDef::SquareBracket(element, _) | ArrayElemTypeDef::Qualified(element, _),
        ) => {
            // Dimensions and their lengths are not kept, as in PostgreSQL.
            let mut element = &**element;
            while let DataType::Array(ArrayElemTypeDef::SquareBracket(inner, _)) = element {
                element = inner;
            }
            let bounded = bounded_type(element)?;
            Ok(bounded.and_then(|(ty, modifier)| Some((ty.array()?, modifier))))
        }
        DataType::Custom(name, modifiers) => match simple_name(name) {
            Some(name) => named(&name, modifiers),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

fn named(name: &str, modifiers: &[String]) -> Result<Option<Bounded>> {
    use LogicalType as T;
    let number = |at: usize| {
        modifiers
            .get(at)
            .and_then(|text: &String| text.parse().ok())
    };
    let length = number(0).map(|length| CharacterLength::IntegerLength { length, unit: None });
    let ty = match name {
        "varchar" => return string(T::Varchar, "varchar", length.as_ref()),
        "bpchar" => return string(T::Bpchar, "char", length.as_ref()),
        "time" => return seconds(T::Time, number(0)),
        "timestamp" => return seconds(T::Timestamp, number(0)),
        "timestamptz" => return seconds(T::TimestampTz, number(0)),
        "interval" => return Ok(Some((T::Interval, interval_modifier(None, number(0))))),
        "numeric" | "decimal" => {
            let scale = modifiers.get(1).and_then(|text| text.parse().ok());
            return numeric(&match (number(0), scale) {
                (None, _) => ExactNumberInfo::None,
                (Some(precision), None) => ExactNumberInfo::Precision(precision),
                (Some(precision), Some(scale)) => {
                    ExactNumberInfo::PrecisionAndScale(precision, scale)
                }
            });
        }
        _ if !modifiers.is_empty() => return Ok(None),
        "bool" => T::Boolean,
        "int2" => T::Int2,
        "int4" => T::Int4,
        "int8" => T::Int8,
        "float4" => T::Float4,
        "float8" => T::Float8,
        // CockroachDB's and others' names of two of PostgreSQL's types.
        "text" | "string" => T::Text,
        "name" => T::Name,
        "bytea" | "bytes" => T::Bytea,
        "date" => T::Date,
        "uuid" => T::Uuid,
        "json" => T::Json,
        "jsonpath" => T::Jsonpath,
        "jsonb" => T::Jsonb,
        "oid" => T::Oid,
        "regclass" => T::Regclass,
        "regtype" => T::Regtype,
        "regproc" => T::Regproc,
        "regnamespace" => T::Regnamespace,
        "regrole" => T::Regrole,
        name => {
            // The names of array types in `pg_type`.
            let element = name.strip_prefix('_').map(|name| named(name, &[]));
            return Ok(element
                .transpose()?
                .flatten()
                .and_then(|(ty, modifier)| Some((ty.array()?, modifier))));
        }
    };
    Ok(Some((ty, TypeMod::NONE)))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn float(info: &ExactNumberInfo) -> Result<Option<Bounded>> {
    let ty = match info {
        ExactNumberInfo::None | ExactNumberInfo::Precision(25..=53) => LogicalType::Float8,
        ExactNumberInfo::Precision(1..=24) => LogicalType::Float4,
        ExactNumberInfo::Precision(0) => {
            return Err(invalid("precision for type float must be at least 1 bit"));
        }
        _ => {
            return Err(invalid(
                "precision for type float must be less than 54 bits",
            ));
        }
    };
    Ok(Some((ty, TypeMod::NONE)))
}

fn numeric(info: &ExactNumberInfo) -> Result<Option<Bounded>> {
    let (precision, scale) = match info {
        ExactNumberInfo::None => return Ok(Some((LogicalType::Numeric, TypeMod::NONE))),
        ExactNumberInfo::Precision(precision) => (*precision, 0),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
    };
    let fits = (1..=NUMERIC_PRECISION_MAX).contains(&precision);
    let (Ok(bound), true) = (u16::try_from(precision), fits) else {
        return Err(invalid(format!(
            "NUMERIC precision {precision} must be between 1 and 1000"
        )));
    };
    let (Ok(digits), true) = (i16::try_from(scale), (-1000..=1000).contains(&scale)) else {
        return Err(invalid(format!(
            "NUMERIC scale {scale} must be between -1000 and 1000"
        )));
    };
    Ok(Some((
        LogicalType::Numeric,
        TypeMod::of_numeric(bound, digits),
    )))
}

fn string(
    ty: LogicalType,
    name: &str,
    length: Option<&CharacterLength>,
) -> Result<Option<Bounded>> {
    let length = match length {
        None => return Ok(Some((ty, TypeMod::NONE))),
        Some(CharacterLength::IntegerLength { length, .. }) => *length,
        Some(CharacterLength::Max) => return Ok(None),
    };
    let bound = i32::try_from(length).ok();
    match bound.filter(|_| (1..=LENGTH_MAX).contains(&length)) {
        Some(length) => Ok(Some((ty, TypeMod::of_length(length)))),
        None if length == 0 => Err(invalid(format!(
            "length for type {name} must be at least 1"
        ))),
        None => Err(invalid(format!(
            "length for type {name} cannot exceed {LENGTH_MAX}"
        ))),
    }
}

/// PostgreSQL takes more than six digits for six, with a warning.
fn seconds(ty: LogicalType, digits: Option<u64>) -> Result<Option<Bounded>> {
    let modifier = match digits {
        None => TypeMod::NONE,
        Some(digits) => TypeMod::of_seconds(u8::try_from(digits.min(6)).unwrap_or(6)),
    };
    Ok(Some((ty, modifier)))
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
        LogicalType::Int2 => "int2",
        LogicalType::Float4 => "float4",
        LogicalType::Varchar => "varchar",
        LogicalType::Bpchar => "bpchar",
        LogicalType::Time => "time",
        // PostgreSQL names such columns by the element.
        LogicalType::Array(element) => internal_name(element.logical()),
        other => other.name(),
    }
}

/// The type of this name that a user defined, or arrays of one.
fn user_type(catalog: &Catalog, data_type: &DataType) -> Option<LogicalType> {
    match data_type {
        DataType::Custom(name, modifiers) if modifiers.is_empty() => {
            let name = type_name(name)?;
            let element = name.name.strip_prefix('_').map(|element| RelationName {
                schema: name.schema.clone(),
                name: element.to_owned(),
            });
            let named = |name: &RelationName| match catalog.enum_named(name) {
                Some(def) => def.ty(),
                None => catalog.row_type(name),
            };
            named(&name).or_else(|| named(&element?)?.array())
        }
        DataType::Array(
            ArrayElemTypeDef::SquareBracket(element, _) | ArrayElemTypeDef::Qualified(element, _),
        ) => {
            let element = user_type(catalog, element)?;
            element.array().or(Some(element))
        }
        _ => None,
    }
}

/// The name of a column that is a cast to a type.
pub(crate) fn cast_name(data_type: &DataType) -> Option<String> {
    match (logical_type(data_type), data_type) {
        (Some(ty), _) => Some(internal_name(ty).to_owned()),
        (None, DataType::Custom(name, _)) => Some(type_name(name)?.name),
        (
            None,
            DataType::Array(
                ArrayElemTypeDef::SquareBracket(element, _)
                | ArrayElemTypeDef::Qualified(element, _),
            ),
        ) => cast_name(element),
        _ => None,
    }
}

/// The name of a type, folded.
pub(crate) fn type_name(name: &ObjectName) -> Option<RelationName> {
    let mut parts = name.0.iter().rev().map(|part| match part {
        ObjectNamePart::Identifier(ident) => Some(fold_name(ident)),
        ObjectNamePart::Function(_) => None,
    });
    Some(RelationName {
        name: parts.next()??,
        schema: parts.next().flatten(),
    })
}

/// The type that a text names, as SQL writes it.
pub(crate) fn type_of_text(catalog: &Catalog, text: &str) -> Result<Bounded> {
    let lexemes = tokenize(text);
    let (end, tokens) = lexemes
        .split_last()
        .ok_or_else(|| Error::internal("a text without an end"))?;
    let mut parser = Parser::new(text, tokens, *end);
    let data_type = parser.parse_data_type()?;
    parser.expect_end()?;
    let found = bounded_type(&data_type)?;
    let found = found.or_else(|| Some((user_type(catalog, &data_type)?, TypeMod::NONE)));
    found.ok_or_else(|| undefined_type(text))
}

/// `42704`
pub(crate) fn undefined_type(name: impl core::fmt::Display) -> Error {
    let message = format!("type \"{name}\" does not exist");
    Error::new(SqlState::UNDEFINED_OBJECT, message)
}

impl Binder<'_> {
    /// The type that a name means with its modifier; `0A000` where there is none.
    pub(crate) fn data_type(&self, data_type: &DataType, position: u32) -> Result<Bounded> {
        let found = bounded_type(data_type).map_err(|error| located(error, position))?;
        if found.is_none() {
            self.use_type(data_type);
        }
        let found = found.or_else(|| Some((user_type(self.catalog, data_type)?, TypeMod::NONE)));
        let found = found.or_else(|| {
            let (domain, is_array) = self.domain_of(data_type)?;
            let base = Some(domain.base);
            let ty = if is_array { domain.base.array() } else { base };
            Some((ty?, domain.modifier))
        });
        found.ok_or_else(|| {
            if self.domain_of(data_type).is_some() {
                return located(Error::unsupported("an array of arrays"), position);
            }
            if let Some((name, position)) = unknown_name(data_type) {
                let missing = name.schema.as_deref().filter(|schema| {
                    !matches!(*schema, "pg_catalog" | "information_schema")
                        && self.catalog.schema(schema).is_none()
                });
                let error = match missing {
                    Some(schema) => undefined_schema(schema),
                    None => undefined_type(name),
                };
                return located(error, position);
            }
            let (name, instead) = nearest(data_type);
            let error = located(Error::unsupported(format!("type {name}")), position);
            match instead {
                Some(instead) => error.with_hint(format!("Use {instead}.")),
                None => error,
            }
        })
    }
}

/// Types of PostgreSQL that are not supported.
const UNSUPPORTED: [&str; 34] = [
    "bit",
    "varbit",
    "box",
    "char",
    "cidr",
    "circle",
    "inet",
    "int2vector",
    "int4range",
    "int8range",
    "line",
    "lseg",
    "macaddr",
    "macaddr8",
    "money",
    "numrange",
    "oidvector",
    "path",
    "pg_lsn",
    "point",
    "polygon",
    "regconfig",
    "regdictionary",
    "regoper",
    "regoperator",
    "regprocedure",
    "tid",
    "timetz",
    "tsquery",
    "tsrange",
    "tstzrange",
    "tsvector",
    "xid",
    "xml",
];

/// The name of a type that PostgreSQL does not know either, and its position.
fn unknown_name(data_type: &DataType) -> Option<(RelationName, u32)> {
    match data_type {
        DataType::Custom(name, _) => {
            let folded = type_name(name)?;
            let plain = folded.name.trim_start_matches('_');
            let is_known = (folded.schema.is_none() && UNSUPPORTED.contains(&plain))
                || crate::bind::sequence::is_serial(plain);
            let position = match name.0.first()? {
                ObjectNamePart::Identifier(ident) => ident.span.start.column,
                ObjectNamePart::Function(_) => 0,
            };
            (!is_known).then_some((folded, u32::try_from(position).unwrap_or(0)))
        }
        DataType::Array(
            ArrayElemTypeDef::SquareBracket(element, _) | ArrayElemTypeDef::Qualified(element, _),
        ) => {
            let (mut name, position) = unknown_name(element)?;
            name.name.push_str("[]");
            Some((name, position))
        }
        _ => None,
    }
}

/// A type's name for an error, and the supported type that comes nearest to it.
fn nearest(data_type: &DataType) -> (String, Option<&'static str>) {
    let (name, instead) = match data_type {
        DataType::Nvarchar(_) | DataType::String(_) | DataType::Clob(_) => ("string", Some("TEXT")),
        DataType::TinyInt(_) | DataType::MediumInt(_) => ("a small integer", Some("SMALLINT")),
        DataType::SmallInt(_) | DataType::Int2(_) => ("smallint with a width", Some("SMALLINT")),
        DataType::Int(_) | DataType::Integer(_) | DataType::Int4(_) => {
            ("integer with a width", Some("INTEGER"))
        }
        DataType::BigInt(_) | DataType::Int8(_) => ("bigint with a width", Some("BIGINT")),
        DataType::Double(_) => ("double", Some("DOUBLE PRECISION")),
        DataType::Datetime(_) => ("datetime", Some("TIMESTAMP")),
        DataType::Time(..) => ("time with time zone", Some("TIME")),
        DataType::Bit(_) | DataType::BitVarying(_) => ("bit", None),
        DataType::Blob(_) => ("blob", Some("BYTEA")),
        DataType::Array(_) => ("array", None),
        DataType::Custom(name, _) => {
            let name = simple_name(name).unwrap_or_else(|| "user-defined".to_owned());
            let instead = match name.as_str() {
                "serial" | "serial4" | "smallserial" | "serial2" => Some("INTEGER"),
                "bigserial" | "serial8" => Some("BIGINT"),
                _ => None,
            };
            return (name, instead);
        }
        _ => ("of this name", None),
    };
    (name.to_owned(), instead)
}
