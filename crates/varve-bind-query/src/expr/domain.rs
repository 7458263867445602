//! Values of domains.

use varve_ast::{BaseType, TypeName};
use varve_catalog::model::domain::DomainDef;
use varve_catalog::text::type_name::{logical_type, type_name};
use varve_expr::Expr;
use varve_types::{ObjectId, Result};

use crate::context::binder::QueryBinder;

impl QueryBinder<'_> {
    /// The domain that a type means, and whether it is arrays of that.
    pub fn domain_of(&self, written: &TypeName) -> Option<(&DomainDef, bool)> {
        let BaseType::Named { name, modifiers } = &written.base else {
            return None;
        };
        // The names of built-in types come first.
        if logical_type(written).is_some() {
            return None;
        }
        let def = self.statement.catalog.domain_named(&type_name(name))?;
        let is_plain = modifiers.is_empty();
        is_plain.then_some((def, !written.dimensions.is_empty()))
    }

    /// A value that was cast to a type, checked where that is a domain.
    pub fn as_domain(&self, value: Expr, written: &TypeName) -> Result<Expr> {
        self.of_domain(
            value,
            self.domain_of(written).map(|(domain, _)| domain.object),
        )
    }

    /// A value that is checked to be one of a domain.
    pub fn of_domain(&self, value: Expr, domain: Option<ObjectId>) -> Result<Expr> {
        let domain = domain.and_then(|domain| self.statement.catalog.domains.get(&domain));
        let Some(domain) = domain else {
            return Ok(value);
        };
        let ty = value.logical_type();
        Ok(Expr::Case {
            branches: vec![(domain.condition(&value)?, value)],
            otherwise: None,
            ty,
        })
    }
}
