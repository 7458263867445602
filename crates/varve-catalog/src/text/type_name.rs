//! Types by their names.

use varve_ast::{BaseType, ObjectName, TypeName};
use varve_expr::{DEFAULT_LOCALE, parse_value};
use varve_lexer::tokenize;
use varve_parser::Parser;
use varve_types::{Error, LogicalType, Result, SqlState, TypeMod};

use crate::model::catalog::Catalog;
use crate::model::schema::RelationName;
use crate::text::interval::interval_modifier;
use crate::text::name::simple_name;

/// A type and what it is bounded by.
pub type Bounded = (LogicalType, TypeMod);

/// The longest varchar and character.
const LENGTH_MAX: u64 = 10_485_760;
const NUMERIC_PRECISION_MAX: u64 = 1000;

/// The type that a name means, if it is one that is stored.
pub fn logical_type(type_name: &TypeName) -> Option<LogicalType> {
    bounded_type(type_name).ok().flatten().map(|(ty, _)| ty)
}

/// The type that a name means with its modifier; `None` where there is no such type.
pub fn bounded_type(type_name: &TypeName) -> Result<Option<Bounded>> {
    let base = bounded_base(&type_name.base)?;
    // Dimensions and their lengths are not kept, as in PostgreSQL.
    match type_name.dimensions.is_empty() {
        true => Ok(base),
        false => Ok(base.and_then(|(ty, modifier)| Some((ty.array()?, modifier)))),
    }
}

/// The same, of a type that is no array or of an array's elements.
fn bounded_base(base: &BaseType) -> Result<Option<Bounded>> {
    use LogicalType as T;
    let plain = |ty| Ok(Some((ty, TypeMod::NONE)));
    match base {
        BaseType::Boolean => plain(T::Boolean),
        BaseType::SmallInt => plain(T::Int2),
        BaseType::Integer => plain(T::Int4),
        BaseType::BigInt => plain(T::Int8),
        BaseType::Real => plain(T::Float4),
        BaseType::DoublePrecision => plain(T::Float8),
        BaseType::Float(bits) => float(*bits),
        BaseType::Numeric { precision, scale } => numeric(*precision, *scale),
        BaseType::Varchar(length) => string(T::Varchar, "varchar", *length),
        BaseType::Char(length) => string(T::Bpchar, "char", Some(length.unwrap_or(1))),
        BaseType::Time {
            precision,
            with_zone: false,
        } => seconds(T::Time, *precision),
        BaseType::Timestamp {
            precision,
            with_zone,
        } => {
            let ty = match with_zone {
                true => T::TimestampTz,
                false => T::Timestamp,
            };
            seconds(ty, *precision)
        }
        BaseType::Interval { fields, precision } => {
            Ok(Some((T::Interval, interval_modifier(*fields, *precision))))
        }
        BaseType::Named { name, modifiers } => match simple_name(name) {
            Some(name) => named(name, modifiers),
            None => Ok(None),
        },
        BaseType::Bit
        | BaseType::Time {
            with_zone: true, ..
        } => Ok(None),
    }
}

fn named(name: &str, modifiers: &[String]) -> Result<Option<Bounded>> {
    use LogicalType as T;
    let first = || bound(modifiers.first());
    let ty = match name {
        "varchar" => return string(T::Varchar, "varchar", first()?),
        "bpchar" => return string(T::Bpchar, "char", first()?),
        "time" => return seconds(T::Time, first()?),
        "timestamp" => return seconds(T::Timestamp, first()?),
        "timestamptz" => return seconds(T::TimestampTz, first()?),
        "interval" => return Ok(Some((T::Interval, interval_modifier(None, first()?)))),
        "numeric" | "decimal" => return numeric(first()?, integer(modifiers.get(1))?),
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

/// A modifier as it is written.
fn integer(text: Option<&String>) -> Result<Option<i64>> {
    let Some(text) = text else {
        return Ok(None);
    };
    Ok(parse_value(text, LogicalType::Int4, &DEFAULT_LOCALE)?.integer())
}

/// A modifier that is a length or a number of digits.
fn bound(text: Option<&String>) -> Result<Option<u64>> {
    let number = integer(text)?.map(u64::try_from).transpose();
    number.map_err(|_| invalid("type modifiers must not be negative"))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn float(bits: Option<u64>) -> Result<Option<Bounded>> {
    let ty = match bits {
        None | Some(25..=53) => LogicalType::Float8,
        Some(1..=24) => LogicalType::Float4,
        Some(0) => return Err(invalid("precision for type float must be at least 1 bit")),
        Some(_) => {
            return Err(invalid(
                "precision for type float must be less than 54 bits",
            ));
        }
    };
    Ok(Some((ty, TypeMod::NONE)))
}

fn numeric(precision: Option<u64>, scale: Option<i64>) -> Result<Option<Bounded>> {
    let Some(precision) = precision else {
        return Ok(Some((LogicalType::Numeric, TypeMod::NONE)));
    };
    let scale = scale.unwrap_or(0);
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

fn string(ty: LogicalType, name: &str, length: Option<u64>) -> Result<Option<Bounded>> {
    let Some(length) = length else {
        return Ok(Some((ty, TypeMod::NONE)));
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
pub fn internal_name(ty: LogicalType) -> &'static str {
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
pub fn user_type(catalog: &Catalog, type_name: &TypeName) -> Option<LogicalType> {
    let BaseType::Named { name, modifiers } = &type_name.base else {
        return None;
    };
    if !modifiers.is_empty() {
        return None;
    }
    let name = self::type_name(name);
    let element = name.name.strip_prefix('_').map(|element| RelationName {
        schema: name.schema.clone(),
        name: element.to_owned(),
    });
    let named = |name: &RelationName| match catalog.enum_named(name) {
        Some(def) => def.ty(),
        None => catalog.row_type(name),
    };
    let base = named(&name).or_else(|| named(&element?)?.array())?;
    match type_name.dimensions.is_empty() {
        true => Some(base),
        false => base.array().or(Some(base)),
    }
}

/// The name of a column that is a cast to a type.
pub fn cast_name(type_name: &TypeName) -> Option<String> {
    let ty = logical_type(type_name);
    let ty = ty.or_else(|| Some(bounded_base(&type_name.base).ok()??.0));
    match (ty, &type_name.base) {
        (Some(ty), _) => Some(internal_name(ty).to_owned()),
        (None, BaseType::Named { name, .. }) => Some(name.name.text.clone()),
        (None, _) => None,
    }
}

/// The name of a type.
pub fn type_name(name: &ObjectName) -> RelationName {
    RelationName {
        schema: name.qualifiers.last().map(|schema| schema.text.clone()),
        name: name.name.text.clone(),
    }
}

/// The type that a text names, as SQL writes it.
pub fn type_of_text(catalog: &Catalog, text: &str) -> Result<Bounded> {
    let lexemes = tokenize(text);
    let (end, tokens) = lexemes
        .split_last()
        .ok_or_else(|| Error::internal("a text without an end"))?;
    let mut parser = Parser::new(text, tokens, *end);
    let type_name = parser.parse_data_type()?;
    parser.expect_end()?;
    let found = bounded_type(&type_name)?;
    let found = found.or_else(|| Some((user_type(catalog, &type_name)?, TypeMod::NONE)));
    found.ok_or_else(|| undefined_type(text))
}

/// `42704`
pub fn undefined_type(name: impl core::fmt::Display) -> Error {
    let message = format!("type \"{name}\" does not exist");
    Error::new(SqlState::UNDEFINED_OBJECT, message)
}
