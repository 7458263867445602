//! The types that are written.

use varve_ast::{BaseType, Span, TypeName};
use varve_catalog::text::name::undefined_schema;
use varve_catalog::text::type_name::{Bounded, bounded_type, type_name, undefined_type, user_type};
use varve_catalog::types::polymorphic::pseudo_type;
use varve_plan::build::routine::invalid;
use varve_plan::scope::data_type::{nearest, unknown_name};
use varve_plan::scope::error::located;
use varve_types::{Error, LogicalType, Result, TypeMod};

use crate::context::binder::QueryBinder;

/// The name of a type without schema, modifiers and dimensions.
pub fn plain_name(written: &TypeName) -> Option<&str> {
    match &written.base {
        BaseType::Named { name, modifiers }
            if modifiers.is_empty()
                && name.qualifiers.is_empty()
                && written.dimensions.is_empty() =>
        {
            Some(&name.name.text)
        }
        _ => None,
    }
}

impl QueryBinder<'_> {
    /// The type that a name means with its modifier; `0A000` where there is none.
    pub fn data_type(&self, type_name: &TypeName) -> Result<Bounded> {
        let position = self.at(type_name.span);
        let found = bounded_type(type_name).map_err(|error| located(error, position))?;
        if found.is_none() {
            self.use_type(type_name);
        }
        let found =
            found.or_else(|| Some((user_type(self.statement.catalog, type_name)?, TypeMod::NONE)));
        let found = found.or_else(|| {
            let (domain, is_array) = self.domain_of(type_name)?;
            let base = Some(domain.base);
            let ty = if is_array { domain.base.array() } else { base };
            Some((ty?, domain.modifier))
        });
        found.ok_or_else(|| self.no_type(type_name))
    }

    /// Why there is no type of a name.
    pub fn no_type(&self, type_name: &TypeName) -> Error {
        let position = self.at(type_name.span);
        if self.domain_of(type_name).is_some() {
            return located(Error::unsupported("an array of arrays"), position);
        }
        if let Some((name, span)) = unknown_name(type_name) {
            let missing = name.schema.as_deref().filter(|schema| {
                !matches!(*schema, "pg_catalog" | "information_schema")
                    && self.statement.catalog.schema(schema).is_none()
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

    /// The type of an argument or result, which stands at a place.
    pub fn argument_type(&self, written: &TypeName, place: Span) -> Result<LogicalType> {
        if plain_name(written) == Some("trigger") {
            return Err(invalid(
                "SQL functions cannot have arguments of type trigger",
            ));
        }
        if let (BaseType::Named { name, .. }, []) = (&written.base, written.dimensions.as_slice()) {
            let pseudo = pseudo_type(&type_name(name));
            let pseudo = pseudo.map_err(|error| located(error, self.at(place)))?;
            if let Some(ty) = pseudo {
                return Ok(ty);
            }
        }
        Ok(self.data_type(written)?.0)
    }
}
