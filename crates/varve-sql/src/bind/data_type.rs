//! Names of types in a statement.

use varve_ast::{BaseType, Span, TypeName};
use varve_types::{Error, Result, TypeMod};

use crate::bind::names::{simple_name, undefined_schema};
use crate::bind::{Binder, located};
use crate::schema::RelationName;

pub(crate) use varve_catalog::text::interval;
pub(crate) use varve_catalog::text::type_name::{
    Bounded, bounded_type, cast_name, logical_type, type_name, type_of_text, undefined_type,
    user_type,
};

impl Binder<'_> {
    /// The type that a name means with its modifier; `0A000` where there is none.
    pub(crate) fn data_type(&self, type_name: &TypeName) -> Result<Bounded> {
        let position = self.at(type_name.span);
        let found = bounded_type(type_name).map_err(|error| located(error, position))?;
        if found.is_none() {
            self.use_type(type_name);
        }
        let found = found.or_else(|| Some((user_type(self.catalog, type_name)?, TypeMod::NONE)));
        let found = found.or_else(|| {
            let (domain, is_array) = self.domain_of(type_name)?;
            let base = Some(domain.base);
            let ty = if is_array { domain.base.array() } else { base };
            Some((ty?, domain.modifier))
        });
        found.ok_or_else(|| self.no_type(type_name))
    }

    /// Why there is no type of a name.
    fn no_type(&self, type_name: &TypeName) -> Error {
        let position = self.at(type_name.span);
        if self.domain_of(type_name).is_some() {
            return located(Error::unsupported("an array of arrays"), position);
        }
        if let Some((name, span)) = unknown_name(type_name) {
            let missing = name.schema.as_deref().filter(|schema| {
                !matches!(*schema, "pg_catalog" | "information_schema")
                    && self.catalog.schema(schema).is_none()
            });
            let error = match missing {
                Some(schema) => undefined_schema(schema),
                None => undefined_type(name),
            };
            return located(error, self.at(span));
        }
        let (name, instead) = nearest(type_name);
        let error = located(Error::unsupported(format!("type {name}")), position);
        match instead {
            Some(instead) => error.with_hint(format!("Use {instead}.")),
            None => error,
        }
    }
}

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
fn unknown_name(written: &TypeName) -> Option<(RelationName, Span)> {
    let BaseType::Named { name, .. } = &written.base else {
        return None;
    };
    let mut unknown = type_name(name);
    let plain = unknown.name.trim_start_matches('_');
    let is_known = (unknown.schema.is_none() && UNSUPPORTED.contains(&plain))
        || crate::bind::sequence::is_serial(plain);
    if is_known {
        return None;
    }
    unknown
        .name
        .push_str(&"[]".repeat(written.dimensions.len()));
    Some((unknown, name.span()))
}

/// A type's name for an error, and the supported type that comes nearest to it.
fn nearest(type_name: &TypeName) -> (&str, Option<&'static str>) {
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
