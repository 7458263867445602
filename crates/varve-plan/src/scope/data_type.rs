//! Names of types that are no types of columns: serial ones, and those that are not supported.

use varve_ast::{BaseType, Span, TypeName};
use varve_catalog::text::name::simple_name;
use varve_catalog::text::type_name::type_name;
use varve_types::LogicalType;

use varve_catalog::model::schema::RelationName;

/// Types of PostgreSQL that are not supported.
const UNSUPPORTED: [&str; 35] = [
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
    "trigger",
    "tsquery",
    "tsrange",
    "tstzrange",
    "tsvector",
    "xid",
    "xml",
];

/// The name of a type that PostgreSQL does not know either, and where it stands.
pub fn unknown_name(written: &TypeName) -> Option<(RelationName, Span)> {
    let BaseType::Named { name, .. } = &written.base else {
        return None;
    };
    let mut unknown = type_name(name);
    let plain = unknown.name.trim_start_matches('_');
    let is_known = (unknown.schema.is_none() && UNSUPPORTED.contains(&plain)) || is_serial(plain);
    if is_known {
        return None;
    }
    unknown
        .name
        .push_str(&"[]".repeat(written.dimensions.len()));
    Some((unknown, name.span()))
}

/// A type's name for an error, and the supported type that comes nearest to it.
pub fn nearest(type_name: &TypeName) -> (&str, Option<&'static str>) {
    if !type_name.dimensions.is_empty() {
        return ("array", None);
    }
    match &type_name.base {
        BaseType::Time { .. } => ("time with time zone", Some("TIME")),
        BaseType::Bit => ("bit", None),
        BaseType::Named { name, .. } => {
            let name = simple_name(name).unwrap_or("user-defined");
            let instead = match name {
                "serial" | "serial4" | "smallserial" | "serial2" => Some("INTEGER"),
                "bigserial" | "serial8" => Some("BIGINT"),
                _ => None,
            };
            (name, instead)
        }
        _ => ("of this name", None),
    }
}

/// The type of a serial column.
pub fn serial_type(type_name: &TypeName) -> Option<LogicalType> {
    match &type_name.base {
        BaseType::Named { name, modifiers }
            if modifiers.is_empty()
                && name.qualifiers.is_empty()
                && type_name.dimensions.is_empty() =>
        {
            named_serial(&name.name.text)
        }
        _ => None,
    }
}

pub(crate) fn named_serial(name: &str) -> Option<LogicalType> {
    match name {
        "smallserial" | "serial2" => Some(LogicalType::Int2),
        "serial" | "serial4" => Some(LogicalType::Int4),
        "bigserial" | "serial8" => Some(LogicalType::Int8),
        _ => None,
    }
}

/// Whether a name is that of a serial type.
pub fn is_serial(name: &str) -> bool {
    named_serial(name).is_some()
}
